import { matches } from "../../src/model/labels.ts";
import { endpointsOf } from "../../src/route/build.ts";
import type { Endpoint, Hop } from "../../src/systems/endpoint.ts";
import { running, twoOf } from "../support/findings.ts";
import { object, servingCluster, type Thing } from "../support/serving.ts";
import {
  asksForGpus,
  at,
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
  tree,
} from "../support/trees.ts";

/** A part of a path and the objects it is made of, which a test may change in place. */
export interface Part {
  readonly hop: Hop;
  /** Of the path it stands on first. */
  readonly endpoint: Endpoint;
  readonly name: string;
  readonly namespace: string;
  /** All objects of the cluster, this part's among them. */
  readonly things: Tree[];
}

/**
 * Each needed part once, however many paths it is on. Those outside the cluster have no objects to change, and DaemonSets bring
 * their own pod to every node.
 */
export function neededParts(things: Tree[]): readonly Part[] {
  const parts = new Map<string, Part>();
  for (const endpoint of endpointsOf(servingCluster(things)).endpoints) {
    for (const hop of endpoint.hops) {
      const part = { hop, endpoint, name: hop.ref.name, namespace: hop.ref.namespace, things };
      const key = partKey(part);
      if (hop.needed && hop.outside === "" && hop.ref.kind !== "DaemonSet" && !parts.has(key)) parts.set(key, part);
    }
  }
  return [...parts.values()];
}

/** Tells the parts of a cluster apart. */
export function partKey({ hop }: Part): string {
  return `${hop.hop}/${hop.ref.namespace}/${hop.ref.name}/${hop.role}`;
}

/** All needed parts of its endpoint's path. */
export function onPath(part: Part): readonly Part[] {
  return part.endpoint.hops
    .filter(({ needed, outside, ref }) => needed && outside === "" && ref.kind !== "DaemonSet")
    .map((hop) => ({ ...part, hop, name: hop.ref.name, namespace: hop.ref.namespace }));
}

/** Those of all endpoints, as the objects now are. */
export function onEveryPath(part: Part): readonly Part[] {
  const parts = endpointsOf(servingCluster(part.things)).endpoints.flatMap((endpoint) => onPath({ ...part, endpoint }));
  const keys = parts.map(({ hop }) => JSON.stringify([hop.ref, hop.role]));
  return parts.filter((_, index) => keys.indexOf(keys[index] ?? "") === index);
}

/** Its pods, in the order of the input. */
export function podsOf({ hop, things }: Part): readonly Tree[] {
  const pods = things.filter((thing) => isKind(thing, "Pod") && namespaceOf(thing) === hop.ref.namespace);
  if (hop.pods.by === "selector") {
    const { selector } = hop.pods;
    return pods.filter((pod) => matches(selector, new Map(Object.entries(labelsOf(pod)).map(([k, v]) => [k, `${v}`]))));
  }
  const owners = new Set(hop.pods.owners.map((key) => key.replace(/\.[^/]*\/[^/]*/, "")));
  const above = new Map(
    things.filter((thing) => isKind(thing, "ReplicaSet")).map((set) => [`ReplicaSet/${nameOf(set)}`, ownerOf(set)]),
  );
  return pods.filter((pod) => owners.has(ownerOf(pod)) || owners.has(above.get(ownerOf(pod)) ?? ""));
}

/** The object the pods come from. */
export function makerOf({ hop, things }: Part): Tree {
  const { kind, name, namespace } = hop.ref;
  const found = things.find(
    (thing) => isKind(thing, kind) && nameOf(thing) === name && namespaceOf(thing) === namespace,
  );
  if (found === undefined) throw new RangeError(`${kind} ${namespace}/${name} is among the objects`);
  return found;
}

/** Specs of its pods and of the templates they are made from. */
export function podSpecsOf(part: Part): readonly Tree[] {
  const { hop, things } = part;
  const makers = things.filter(
    (thing) =>
      namespaceOf(thing) === hop.ref.namespace &&
      ((isKind(thing, hop.ref.kind) && nameOf(thing) === hop.ref.name) ||
        (isKind(thing, "ReplicaSet") && ownerOf(thing) === `${hop.ref.kind}/${hop.ref.name}`)),
  );
  const templates = makers.flatMap((maker) => {
    const { template, leaderWorkerTemplate } = specOf(maker);
    const groups = list([leaderWorkerTemplate]).flatMap(({ leaderTemplate, workerTemplate }) => [
      leaderTemplate,
      workerTemplate,
    ]);
    return list([template, ...groups]).map(specOf);
  });
  return [...templates, ...podsOf(part).map(specOf)];
}

/** The budgets over its pods. */
export function budgetsOf(part: Part): readonly Tree[] {
  const [pod] = podsOf(part);
  return pod === undefined ? [] : part.things.filter((thing) => isOver(thing, pod));
}

function isOver(thing: Tree, pod: Tree): boolean {
  if (!isKind(thing, "PodDisruptionBudget") || namespaceOf(thing) !== namespaceOf(pod)) return false;
  return selects(specOf(thing)["selector"], labelsOf(pod));
}

export function setBudget(part: Part, wanted: Tree): void {
  for (const budget of budgetsOf(part)) budget["spec"] = { selector: specOf(budget)["selector"], ...wanted };
}

export function remove(part: Part, gone: readonly Tree[]): void {
  const kept = part.things.filter((thing) => !gone.includes(thing));
  part.things.splice(0, part.things.length, ...kept);
}

export function add(part: Part, ...more: readonly Thing[]): void {
  part.things.push(...more.map(tree));
}

/** Somebody else's two pods on its nodes, set up well, in a namespace of their own. */
export function addOther(part: Part): void {
  const nodes = podsOf(part).flatMap((pod) => String(specOf(pod)["nodeName"]));
  add(part, ...running("other", twoOf("other", "others", nodes.slice(0, 2))));
}

export function isDeployment({ hop }: Part): boolean {
  return hop.ref.kind === "Deployment";
}

export function isGroup({ hop }: Part): boolean {
  return hop.unit.kind === "group";
}

/** Its pods belong to a custom resource without a scale. */
export function isScaleless({ hop }: Part): boolean {
  return ["RayCluster", "RoleSet"].includes(hop.ref.kind);
}

export function isOnGpus(part: Part): boolean {
  const [pod] = podsOf(part);
  return pod !== undefined && asksForGpus(specOf(pod));
}

/** Wanted replicas, with what the autoscaler and the pods then are. */
export function setReplicas(part: Part, replicas: number): void {
  const { hop, things } = part;
  if (isGroup(part)) {
    specOf(makerOf(part))["replicas"] = replicas;
    const groups = things.filter((thing) => Number(groupIndexOf(thing) ?? -1) >= replicas);
    remove(part, groups);
    for (const set of things)
      if (isKind(set, "StatefulSet") && nameOf(set) === part.name) specOf(set)["replicas"] = replicas;
    return;
  }
  for (const thing of things) {
    const isOwn =
      isKind(thing, hop.ref.kind) && nameOf(thing) === hop.ref.name && namespaceOf(thing) === hop.ref.namespace;
    const isSet = isKind(thing, "ReplicaSet") && ownerOf(thing) === `${hop.ref.kind}/${hop.ref.name}`;
    if ((isOwn && !isScaleless(part)) || isSet) specOf(thing)["replicas"] = replicas;
    if (isOwn && isScaleless(part)) setGroups(specOf(thing), replicas);
    if (isScaleless(part) && isKind(thing, "RayService")) setGroups(at(specOf(thing), "rayClusterConfig"), replicas);
  }
  for (const scaler of scalersOf(part)) {
    const field = isKind(scaler, "ScaledObject") ? "minReplicaCount" : "minReplicas";
    specOf(scaler)[field] = Math.min(replicas, Number(specOf(scaler)[field]));
  }
  remove(part, podsOf(part).slice(replicas));
}

/** Ray's worker groups and the roles of AIBrix say their replicas in lists. */
function setGroups(spec: Tree, replicas: number): void {
  for (const field of ["workerGroupSpecs", "roles"]) {
    const groups = list(spec[field]);
    if (groups.length > 0) spec[field] = groups.map((group) => ({ ...group, replicas }));
  }
}

function groupIndexOf(thing: Tree): unknown {
  const label = "leaderworkerset.sigs.k8s.io/group-index";
  if (isKind(thing, "Pod")) return labelsOf(thing)[label];
  return isKind(thing, "StatefulSet") ? at(at(specOf(thing), "selector"), "matchLabels")[label] : undefined;
}

/** HorizontalPodAutoscalers and ScaledObjects of the part. */
export function scalersOf({ name, namespace, things }: Part): readonly Tree[] {
  return things.filter(
    (thing) =>
      isKind(thing, "HorizontalPodAutoscaler", "ScaledObject") &&
      namespaceOf(thing) === namespace &&
      at(specOf(thing), "scaleTargetRef")["name"] === name,
  );
}

/** Its autoscalers are what is given. */
export function setScaler(part: Part, minReplicas: number, scaledObject: number | null): void {
  remove(part, scalersOf(part));
  const { name, namespace } = part;
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  const owner = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name };
  if (scaledObject !== null) {
    const spec = { scaleTargetRef: { name }, minReplicaCount: scaledObject };
    add(part, object("keda.sh/v1alpha1", "ScaledObject", name, spec, { namespace }));
  }
  const marks = scaledObject === null ? { namespace } : { namespace, owner };
  const spec = { scaleTargetRef, minReplicas, maxReplicas: 4 };
  add(part, object("autoscaling/v2", "HorizontalPodAutoscaler", `${name}-scaler`, spec, marks));
}

/** Nodes of the pool its pods are on. */
export function ownNodesOf(part: Part): readonly Tree[] {
  const [pod] = podsOf(part);
  if (pod === undefined) return [];
  const pool = labelsOf(nodeOf(part, pod))["node-pool"];
  return nodesOf(part).filter((node) => labelsOf(node)["node-pool"] === pool);
}

/** More than half of what a node of its pool has of CPU, in milli. */
export function mostOfANode(part: Part): string {
  const [node] = ownNodesOf(part);
  const cpu = node === undefined ? 0 : Number(at(at(node, "status"), "allocatable")["cpu"]);
  return `${Math.round(cpu * 550)}m`;
}

export function nodesOf({ things }: Part): readonly Tree[] {
  return things.filter((thing) => isKind(thing, "Node"));
}

/** The node a pod is on. */
export function nodeOf(part: Part, pod: Tree): Tree {
  const found = nodesOf(part).find((node) => nameOf(node) === specOf(pod)["nodeName"]);
  if (found === undefined) throw new RangeError(`${nameOf(pod)} is on a node`);
  return found;
}

/** One more node like this. */
export function addNode(part: Part, like: Tree, zone: string): string {
  const node = structuredClone(like);
  const name = `${nameOf(like)}-more`;
  metadataOf(node)["name"] = name;
  Object.assign(labelsOf(node), { "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone });
  part.things.push(node);
  return name;
}
