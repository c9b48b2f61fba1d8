import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { Thing } from "./serving.ts";
import {
  asksForGpus,
  at,
  gpusOf,
  isKind,
  labelsOf,
  list,
  metadataOf,
  nameOf,
  namespaceOf,
  ownerOf,
  selects,
  specOf,
  type Tree,
} from "./trees.ts";

/**
 * The objects of test/systems/NAME, as the system's controllers make them, set up well: two of everything on two nodes,
 * spread so that a rollout finishes, under budgets of one.
 */
export function wellSetUp(system: string): readonly Thing[] {
  const file = join(import.meta.dirname, "..", "systems", system, "cluster.yaml");
  const read: readonly Tree[] = parseAllDocuments(readFileSync(file, "utf8")).flatMap((document) => {
    const value: unknown = document.toJS();
    return list([value]);
  });
  const things = read.filter((thing) => !isKind(thing, "PodDisruptionBudget"));
  for (const node of things.filter((thing) => isKind(thing, "Node")))
    labelsOf(node)["node-pool"] = nameOf(node).replace(/-\d+$/, "");
  const made = new Set<Tree>();
  const budgets = [
    ...things.filter((thing) => isKind(thing, "Deployment")).flatMap((deployment) => twoOf(things, deployment, made)),
    ...things.filter((thing) => isKind(thing, "LeaderWorkerSet")).map(groupBudget),
    ...customPods(things, made),
  ];
  for (const scaler of things.filter((thing) => isKind(thing, "HorizontalPodAutoscaler", "PodAutoscaler")))
    specOf(scaler)["minReplicas"] = 2;
  return [...things.filter((thing) => !replaced.has(thing)), ...budgets, ...made];
}

/** Pods that were made anew. */
const replaced = new WeakSet<Tree>();

/** Two replicas of a Deployment, its ReplicaSet and its pods; its budget. */
function twoOf(things: readonly Tree[], deployment: Tree, made: Set<Tree>): readonly Tree[] {
  const name = nameOf(deployment);
  const namespace = namespaceOf(deployment);
  const replicaSet = things.find(
    (thing) =>
      isKind(thing, "ReplicaSet") && ownerOf(thing) === `Deployment/${name}` && namespaceOf(thing) === namespace,
  );
  const pods = things.filter(
    (thing) =>
      isKind(thing, "Pod") && replicaSet !== undefined && ownerOf(thing) === `ReplicaSet/${nameOf(replicaSet)}`,
  );
  const [pod] = pods;
  if (replicaSet === undefined || pod === undefined) return [];
  for (const old of pods) replaced.add(old);
  const selector = at(specOf(deployment), "selector");
  const templates = [deployment, replicaSet].map((maker) => specOf(at(specOf(maker), "template")));
  const podSpec = specOf(pod);
  const pool = asksForGpus(podSpec) ? "gpu" : "system";
  for (const spec of [...templates, podSpec]) {
    setPlace(spec, pool, selector, labelsOf(pod));
    electNobody(spec);
  }
  for (const maker of [deployment, replicaSet]) specOf(maker)["replicas"] = 2;
  if (gpusOf(podSpec) > 4) {
    specOf(deployment)["strategy"] = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
  }
  for (const index of [1, 2]) {
    const one = structuredClone(pod);
    metadataOf(one)["name"] = `${nameOf(replicaSet)}-${index}`;
    specOf(one)["nodeName"] = `${pool}-${index}`;
    one["status"] = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    made.add(one);
  }
  return [budget(name, namespace, { maxUnavailable: 1, selector })];
}

/** All pickers are active. */
function electNobody(podSpec: Tree): void {
  for (const container of list(podSpec["containers"])) {
    const args = container["args"];
    if (Array.isArray(args)) container["args"] = args.filter((arg) => !String(arg).includes("leader-election"));
  }
}

/** On nodes of its pool, apart, so that neither a closed node nor an old pod is in the way of the next. */
function setPlace(podSpec: Tree, pool: string, labelSelector: Tree, labels: Tree): void {
  podSpec["nodeSelector"] = { "node-pool": pool };
  podSpec["affinity"] = {};
  podSpec["topologySpreadConstraints"] = [
    {
      ...{ maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "DoNotSchedule", labelSelector },
      ...{ nodeTaintsPolicy: "Honor", matchLabelKeys: ["pod-template-hash"] },
    },
  ];
  // Envoy Gateway gives its proxies five minutes beyond the minute in which they drain.
  if (labels["app.kubernetes.io/managed-by"] === "envoy-gateway") podSpec["terminationGracePeriodSeconds"] = 360;
}

function groupBudget(set: Tree): Tree {
  const matchLabels = { "leaderworkerset.sigs.k8s.io/name": nameOf(set) };
  return budget(nameOf(set), namespaceOf(set), { maxUnavailable: 1, selector: { matchLabels } });
}

/** Labels that tell one pod of a set from another. */
const ofOnePod = /pod-name|pod-index|pod-hash|identifier$/;

/** Pods of custom resources: two of each kind on two nodes; their budgets can only be integers. */
function customPods(things: readonly Tree[], made: Set<Tree>): readonly Tree[] {
  const own = things.filter(
    (thing) =>
      isKind(thing, "Pod") && !/^(ReplicaSet|StatefulSet|DaemonSet|)\//.test(ownerOf(thing)) && ownerOf(thing) !== "",
  );
  const alike = Map.groupBy(own, (pod) => JSON.stringify([ownerOf(pod), sharedLabels(pod)]));
  return [...alike.values()].flatMap((pods) => {
    const [first] = pods;
    if (first === undefined || labelsOf(first)["ray.io/node-type"] === "head") return [];
    const pool = asksForGpus(specOf(first)) ? "gpu" : "system";
    for (const old of pods) replaced.add(old);
    for (const index of [1, 2]) {
      const one = structuredClone(pods[index - 1] ?? first);
      if (index > pods.length) metadataOf(one)["name"] = `${nameOf(first)}-${index}`;
      specOf(one)["nodeName"] = `${pool}-${index}`;
      made.add(one);
    }
    const name = nameOf(first);
    const selector = { matchLabels: sharedLabels(first) };
    return [budget(name, namespaceOf(first), { minAvailable: 1, selector })];
  });
}

function sharedLabels(pod: Tree): Tree {
  return Object.fromEntries(Object.entries(labelsOf(pod)).filter(([key]) => !ofOnePod.test(key)));
}

function budget(name: string, namespace: string, spec: Tree): Tree {
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name, namespace }, spec };
}

/** The budgets over a pod. */
export function budgetsOver(things: readonly Tree[], pod: Tree): readonly Tree[] {
  return things.filter(
    (thing) =>
      isKind(thing, "PodDisruptionBudget") &&
      namespaceOf(thing) === namespaceOf(pod) &&
      selects(specOf(thing)["selector"], labelsOf(pod)),
  );
}
