import type { OtherObject } from "../model/cluster.ts";
import type { ObjectRef } from "../model/key.ts";
import { servedModel } from "./engine-arguments.ts";
import { envoyProxyOf, proxyKnobs } from "./envoy-gateway.ts";
import type { Facts, Part } from "./facts.ts";
import { code, createBudget, field, type Knobs, none } from "./knobs.ts";
import type { Match } from "./match.ts";
import { managedBy, plainPart } from "./part-rules.ts";
import { partsOfStage, poolEntry, poolSelector, poolsOf } from "./pool-entry.ts";
import { type Entry, entryOf, type PartRule, type System } from "./system.ts";

const serving = "modelplane.ai/serving";
const revertedByObject =
  "provider-kubernetes puts fields of its Object back within about 10 minutes; fields it leaves unset stay.";

/**
 * Models composed by Crossplane into workload clusters: an InferencePool, a picker, an HTTPRoute and engines for each
 * ModelReplica. Mirrors: Modelplane v0.3.1 and its compose functions as of 2026-09.
 */
export const modelplane: System = {
  name: "modelplane",
  title: "Modelplane",
  about:
    "An InferencePool that selects label modelplane.ai/serving. Its picker `<replica>-epp` runs one replica, set by the " +
    "composition: no field of a user raises it. Engines scale by ModelDeployment engines[].copies. provider-kubernetes puts " +
    "back the fields its Objects set within about 10 minutes and leaves others alone. In the control plane's cluster, each " +
    "ModelService is an endpoint behind the fleet gateway; its engines run in other clusters.",
  gateways: [],
  entries: (facts, claimed) => [
    ...poolsOf(facts)
      .filter((pool) => !claimed.objects.has(pool.key) && replicaOf(pool) !== "")
      .map((pool) => replicaEntry(facts, pool)),
    ...facts.others("ModelService", "modelplane.ai").map((service) => fleetEntry(facts, service)),
  ],
  parts: [
    pickerRule(),
    engineRule({ labels: { [serving]: "*", "modelplane.ai/workload": "*" } }),
    engineRule({ labels: { "modelplane.ai/lws-role": "leader" } }),
    engineRule({ labels: { "modelplane.ai/clique-role": "leader" } }),
    {
      hop: "gateway",
      component: "Cluster gateway proxy",
      onPath: true,
      whileGone: "",
      match: {
        kinds: ["Deployment"],
        labels: {
          "app.kubernetes.io/managed-by": "envoy-gateway",
          "gateway.envoyproxy.io/owning-gateway-namespace": "modelplane-system",
        },
      },
      owner: envoyProxyOf,
      knobs: proxyKnobs,
    },
    plainPart({
      hop: "collector",
      component: "Modelplane collector",
      whileGone: "Metrics have a gap.",
      match: { kinds: ["Deployment"], labels: { "app.kubernetes.io/name": "modelplane-collector" } },
    }),
  ],
};

function replicaOf(pool: OtherObject): string {
  return poolSelector(pool).requirements.find(({ key }) => key === serving)?.values[0] ?? "";
}

function replicaEntry(facts: Facts, pool: OtherObject): Entry {
  const entry = poolEntry(facts, pool);
  return { ...entry, name: replicaOf(pool), model: servedModel(entry.stages.flatMap(partsOfStage)) };
}

/** A fleet endpoint: its gateway is here, its engines are not. */
function fleetEntry(facts: Facts, service: OtherObject): Entry {
  const routes = facts
    .others("HTTPRoute", "gateway.networking.k8s.io")
    .filter((route) => route.owner === service.key || route.labels.get("crossplane.io/composite") === service.ref.name);
  return {
    ...entryOf(service),
    model: service.ref.name,
    routes,
    stages: [
      {
        by: "outside",
        hop: "engine",
        component: "Engines",
        ref: service.ref,
        outside: "in the workload clusters this service routes to: check those clusters too",
      },
    ],
  };
}

function pickerRule(): PartRule {
  return {
    hop: "picker",
    component: "Endpoint picker",
    onPath: true,
    whileGone: "",
    match: { kinds: ["Deployment"], annotations: { "modelplane.ai/epp-config-checksum": "*" } },
    owner: () => null,
    knobs: (part) => ({
      replicas: code(
        "the composition, where compose-model-replica writes 1 (a function later in its pipeline can overrule it)",
      ),
      budget: createBudget("Only with at least two active pickers."),
      spread: field(
        part.workload.ref,
        "spec.template.spec.topologySpreadConstraints",
        "Under a field manager of your own.",
      ),
      overwrites: revertedByObject,
      managedBy: managedBy(part.workload) || "provider-kubernetes",
    }),
  };
}

function engineRule(match: Match): PartRule {
  return {
    hop: "engine",
    component: "Engine",
    onPath: true,
    whileGone: "",
    match,
    owner: deploymentOf,
    knobs: engineKnobs,
  };
}

/** The ModelDeployment, when this cluster is also the control plane; else its name is only known by its ModelReplica. */
function deploymentOf(part: Part, facts: Facts): ObjectRef | null {
  const replica = part.labels.get(serving);
  const found = facts.others("ModelReplica", "modelplane.ai").find(({ ref }) => ref.name === replica);
  const name = found?.labels.get("modelplane.ai/deployment");
  if (found === undefined || name === undefined) return null;
  return { apiVersion: "modelplane.ai/v1alpha1", kind: "ModelDeployment", namespace: found.ref.namespace, name };
}

/** By its label; before there was one, by the workload's name `<replica>-<engine>-<hash>`. "" where neither says. */
function engineOf(part: Part): string {
  const labelled = part.labels.get("modelplane.ai/engine");
  if (labelled !== undefined) return labelled;
  const prefix = `${part.labels.get(serving) ?? ""}-`;
  const { name } = part.workload.ref;
  const hash = name.lastIndexOf("-");
  return name.startsWith(prefix) && hash > prefix.length ? name.slice(prefix.length, hash) : "";
}

function engineKnobs(part: Part, facts: Facts): Knobs {
  const owner = deploymentOf(part, facts);
  const engine = engineOf(part);
  const path = `spec.template.spec.engines${engine === "" ? "[0]" : `[name=${engine}]`}.copies`;
  const grouped = part.workload.kind !== "Deployment";
  return {
    replicas: owner === null ? code(`ModelDeployment ${path}, in the control plane's cluster`) : field(owner, path),
    budget: createBudget(grouped ? "One over the whole set, maxUnavailable 1." : ""),
    spread: grouped
      ? none("Modelplane has no field for the spread of groups.")
      : field(part.workload.ref, "spec.template.spec.topologySpreadConstraints", "Under a field manager of your own."),
    overwrites: revertedByObject,
    managedBy: managedBy(part.workload) || "provider-kubernetes",
  };
}
