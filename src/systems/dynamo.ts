import { type ObjectRef, objectKey } from "../model/key.ts";
import { operatorMatch, planeRules, planeStages, quorumOf } from "./dynamo-planes.ts";
import { servedModel } from "./engine-arguments.ts";
import { type Facts, fieldsOf, type Part } from "./facts.ts";
import { createBudget, field, type Knobs } from "./knobs.ts";
import { helmPart, labelledOwner, ownedKnobs } from "./part-rules.ts";
import { poolBackends, poolsOf } from "./pool-entry.ts";
import { stagesOf } from "./scaling-groups.ts";
import { type Entry, entryOf, isNeeded, type PartRule, type Stage, type System } from "./system.ts";

const graphLabel = "nvidia.com/dynamo-graph-deployment-name";
const typeLabel = "nvidia.com/dynamo-component-type";
const nameLabel = "nvidia.com/dynamo-component";
const group = "nvidia.com";
const ownerOf = labelledOwner("DynamoGraphDeployment", `${group}/v1beta1`, graphLabel);

/** A graph of frontend, workers and perhaps a picker. Mirrors: NVIDIA Dynamo v1.5 line, operator labels and kinds. */
export const dynamo: System = {
  name: "dynamo",
  title: "NVIDIA Dynamo",
  about:
    "Pods labelled nvidia.com/dynamo-graph-deployment-name; one endpoint a DynamoGraphDeployment, entered by its frontend or, with a " +
    "component of type epp, by the pool it makes, which fails closed. Replicas and spread are set per component in the graph; " +
    "minAvailable there is gang start, not a budget. Engines on several nodes are replicas of Grove's scaling groups. etcd is on the path " +
    "unless Kubernetes does the discovery (label nvidia.com/dynamo-discovery-backend), and NATS where requests may go through it.",
  gateways: [],
  entries: (facts) => graphsOf(facts).map((ref) => graphEntry(facts, ref)),
  parts: [
    componentRule("frontend", "frontend", "Frontend"),
    componentRule("epp", "picker", "Endpoint picker"),
    componentRule("worker", "engine", "Worker"),
    componentRule("prefill", "engine", "Prefill worker"),
    componentRule("decode", "engine", "Decode worker"),
    ...planeRules,
    helmPart({
      hop: "controller",
      component: "Dynamo operator",
      whileGone: "Graphs are not reconciled.",
      match: operatorMatch,
      values: { replicas: "controllerManager.replicas", budget: null, spread: null },
    }),
  ],
};

function graphsOf(facts: Facts): readonly ObjectRef[] {
  const refs = new Map<string, ObjectRef>();
  for (const { ref } of facts.others("DynamoGraphDeployment", group)) refs.set(objectKey(ref), ref);
  for (const part of facts.parts) {
    const ref = part.labels.has(typeLabel) ? ownerOf(part, facts) : null;
    if (ref !== null && !refs.has(objectKey(ref))) refs.set(objectKey(ref), ref);
  }
  return [...refs.values()];
}

function graphEntry(facts: Facts, ref: ObjectRef): Entry {
  const parts = facts.partsIn(ref.namespace).filter(({ labels }) => labels.get(graphLabel) === ref.name);
  const of = (type: string): readonly Part[] => parts.filter(({ labels }) => labels.get(typeLabel) === type);
  const pools = poolsOf(facts).filter(
    (pool) => pool.ref.namespace === ref.namespace && pool.ref.name === `${ref.name}-pool`,
  );
  const service = objectKey({
    apiVersion: "v1",
    kind: "Service",
    namespace: ref.namespace,
    name: `${ref.name}-frontend`,
  });
  const planes = planeStages(facts, facts.other(ref.kind, group, ref.namespace, ref.name), parts);
  const workers = [...of("worker"), ...of("decode"), ...of("prefill")];
  return {
    ...entryOf({ ref, annotations: facts.other(ref.kind, group, ref.namespace, ref.name)?.annotations ?? new Map() }),
    model: servedModel(workers),
    backends: [service, ...pools.flatMap(poolBackends)],
    pools,
    stages: [
      ...of("frontend").map((part) => stage(part, "frontend", "")),
      ...planes,
      ...stagesOf(workers, workerStage),
    ],
    notModelled: planes.flatMap(quorumOf),
  };
}

function workerStage(part: Part): PartStage {
  const type = part.labels.get(typeLabel) ?? "";
  return stage(part, "engine", type === "worker" ? "" : type);
}

type PartStage = Extract<Stage, { by: "part" }>;

function stage(part: Part, hop: string, role: string): PartStage {
  return { by: "part", part, hop, role, needed: isNeeded };
}

function componentRule(type: string, hop: string, component: string): PartRule {
  return {
    hop,
    component,
    onPath: true,
    whileGone: "",
    match: { labels: { [graphLabel]: "*", [typeLabel]: type } },
    owner: ownerOf,
    knobs: componentKnobs,
  };
}

/** Component lists since v1beta1, a map of services before; an adapter owns the replicas where one is set. */
function componentKnobs(part: Part, facts: Facts): Knobs {
  const owner = ownerOf(part, facts);
  const name = part.labels.get(nameLabel) ?? "";
  const listed = owner === null || owner.apiVersion !== `${group}/v1alpha1`;
  const component = listed ? `spec.components[name=${name}]` : `spec.services.${name}`;
  const knobs = ownedKnobs(part.workload, owner, {
    replicas: `${component}.replicas`,
    spread: listed
      ? `${component}.podTemplate.spec.topologySpreadConstraints`
      : `${component}.extraPodSpec.topologySpreadConstraints`,
    budget: createBudget(),
    overwrites: "The Dynamo operator puts what it makes back.",
  });
  const adapter = facts.others("DynamoGraphDeploymentScalingAdapter", group).find((candidate) => {
    const target = fieldsOf(candidate).object("spec").object("dgdRef");
    return (
      candidate.ref.namespace === owner?.namespace &&
      target.text("name") === owner.name &&
      target.text("serviceName") === name
    );
  });
  return adapter === undefined ? knobs : { ...knobs, replicas: field(adapter.ref, "spec.replicas") };
}
