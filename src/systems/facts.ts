import { byCodeUnit, byKey } from "../base/ordering.ts";
import { underKey } from "../base/under-key.ts";
import type { Cluster, OtherObject } from "../model/cluster.ts";
import { type ObjectKey, type ObjectRef, objectKey } from "../model/key.ts";
import { Labelled } from "../model/labelled.ts";
import { groupNameLabel, type LabelSelector, type Labels, matches } from "../model/labels.ts";
import type { Pod } from "../model/pod.ts";
import { kinOf } from "../model/pod-columns.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { Service } from "../model/policy.ts";
import type { Workload } from "../model/workload.ts";
import { Fields } from "../wire/fields.ts";

/** A workload that makes pods, at the highest level that does (a Deployment, not its ReplicaSets), with its pods. */
export interface Part {
  readonly workload: Workload;
  readonly pods: readonly Pod[];
  /** The template its next pod is made from; pods' own where the workload has none (custom resources); null: neither. */
  readonly template: PodTemplate | null;
  /** Labels of the object and of its template or pods together: recognition may look at either. */
  readonly labels: Labels;
}

/** The cluster, indexed for recognising. Every list is sorted by namespace and name, so that answers never depend on input order. */
export interface Facts {
  readonly cluster: Cluster;
  /** Parts that own pods or would, Deployments not their ReplicaSets, sets not the sets they make. */
  readonly parts: readonly Part[];
  part(key: ObjectKey): Part | undefined;
  partsIn(namespace: string): readonly Part[];
  /** Objects kept whole, by kind and group. */
  others(kind: string, group: string): readonly OtherObject[];
  other(kind: string, group: string, namespace: string, name: string): OtherObject | undefined;
  service(namespace: string, name: string): Service | undefined;
  readonly services: readonly Service[];
  /** The parts whose pods a Service selects now. */
  selectedBy(service: Service): readonly Part[];
  /** The parts whose pods match in a namespace. */
  matching(namespace: string, selector: LabelSelector): readonly Part[];
}

export function factsOf(cluster: Cluster): Facts {
  const parts = partsOf(cluster);
  const byObject = new Map(parts.map((part) => [part.workload.key, part]));
  const byNamespace = Map.groupBy(parts, (part) => part.workload.ref.namespace);
  const sorted = sortedByRef(cluster.others.values(), ({ ref }) => ref);
  const byKind = Map.groupBy(sorted, (other) => kindKey(other.ref));
  const services = sortedByRef(cluster.services, ({ ref }) => ref);
  const byName = new Map(services.map((service) => [`${service.ref.namespace}/${service.ref.name}`, service]));
  const partsIn = (namespace: string): readonly Part[] => byNamespace.get(namespace) ?? [];
  const labelled = new Map<string, Labelled<Part>>();
  const matching = (namespace: string, selector: LabelSelector): readonly Part[] =>
    underKey(labelled, namespace, () => new Labelled(podLabelsOf, partsIn(namespace)))
      .near(selector)
      .filter((part) => podLabelsOf(part).some((labels) => matches(selector, labels)));
  return {
    cluster,
    parts,
    part: (key) => byObject.get(key),
    partsIn,
    others: (kind, group) => byKind.get(`${kind}.${group}`) ?? [],
    other: (kind, group, namespace, name) => cluster.others.get(`${kind}.${group}/${namespace}/${name}`),
    service: (namespace, name) => byName.get(`${namespace}/${name}`),
    services,
    selectedBy: ({ ref, selector }) =>
      selector === null || selector.size === 0 ? [] : matching(ref.namespace, selectorOf(selector)),
    matching,
  };
}

/** The fields of an object kept whole. What is wrong in them was said when it was read. */
export function fieldsOf(object: OtherObject): Fields {
  return Fields.of(object.body, () => {});
}

/** A selector from a map, each key an `In` requirement. */
export function selectorOf(labels: Labels): LabelSelector {
  const requirements = [...labels].map(([key, value]) => ({ key, operator: "In" as const, values: [value] }));
  return { requirements: requirements.sort(byKey((requirement) => requirement.key)), invalid: false };
}

/** Every container argument of the part's next pod, `command` included. */
export function argumentsOf(part: Part): readonly string[] {
  return part.template?.containers.flatMap((container) => [...container.command, ...container.args]) ?? [];
}

/** The same with spaces between. */
export function argumentTextOf(part: Part): string {
  const { template } = part;
  return template === null ? "" : underKey(argumentTexts, template, () => argumentsOf(part).join(" "));
}

/** Of one template many rules ask. */
const argumentTexts = new WeakMap<PodTemplate, string>();

/** Wanted units as the object states them; null: not stated. */
export function replicasOf(workload: Workload): number | null {
  switch (workload.kind) {
    case "Deployment":
    case "ReplicaSet":
    case "ReplicationController":
    case "StatefulSet":
    case "LeaderWorkerSet":
      return workload.replicas;
    case "Job":
      return workload.parallelism;
    case "Other":
      return workload.scaleReplicas;
    case "DaemonSet":
      return null;
  }
}

/** Its next pod's and its pods', each once. Those that name a node each have the same: no template is made for them. */
function podLabelsOf(part: Part): readonly Labels[] {
  return underKey(podLabels, part, ({ workload, template, pods }) => {
    const next = workload.kind === "Other" || template === null ? [] : [nextLabels(workload, template)];
    return [...new Set([...next, ...pods.map((pod) => kinOf(pod).template.labels)])];
  });
}

const podLabels = new WeakMap<Part, readonly Labels[]>();

/** Labels of the next pod: its template's, and for a group's leader those the controller adds. */
export function nextLabels(workload: Workload, template: PodTemplate): Labels {
  if (workload.kind !== "LeaderWorkerSet") return template.labels;
  return new Map([
    ...template.labels,
    [groupNameLabel, workload.ref.name],
    ["leaderworkerset.sigs.k8s.io/worker-index", "0"],
  ]);
}

function partsOf(cluster: Cluster): Part[] {
  const tops = new Tops(cluster);
  const podsOf = new Map<ObjectKey, Pod[]>();
  const bare: Pod[] = [];
  for (const pod of cluster.pods) {
    const { phase, owner, mirror } = kinOf(pod);
    if (phase === "Succeeded" || phase === "Failed") continue;
    // The node that owns a static pod's mirror is no workload.
    if (owner === null || mirror) {
      bare.push(pod);
      continue;
    }
    const top = tops.of(owner);
    const pods = podsOf.get(top);
    if (pods === undefined) podsOf.set(top, [pod]);
    else pods.push(pod);
  }
  const parts: Part[] = [];
  for (const workload of cluster.workloads.values()) {
    if (tops.of(workload.key) !== workload.key) continue;
    const pods = podsOf.get(workload.key) ?? [];
    if ((workload.kind === "Other" || workload.kind === "Job") && pods.length === 0) continue;
    parts.push(partOf(workload, pods));
  }
  for (const [first, ...others] of alike(bare)) parts.push(partOf(bareWorkload(first), [first, ...others]));
  return sortedByRef(parts, ({ workload }) => workload.ref);
}

/** The part an object's pods belong to. */
class Tops {
  readonly #cluster: Cluster;
  readonly #known = new Map<ObjectKey, ObjectKey>();
  #leaders: ReadonlyMap<ObjectKey, ObjectKey> | null = null;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  of(key: ObjectKey): ObjectKey {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // An owner chain that bites its own tail ends at itself.
    this.#known.set(key, key);
    const above = this.#above(key);
    const top = above === null ? key : this.of(above);
    this.#known.set(key, top);
    return top;
  }

  /**
   * A ReplicaSet belongs to its Deployment (or rollout), a StatefulSet to the set or group leader that made it. Custom
   * resources above anything else own fields, not pods: the walk stops below them.
   */
  #above(key: ObjectKey): ObjectKey | null {
    const here = this.#cluster.workloads.get(key);
    if (here === undefined) return null;
    if (here.kind === "Other" && here.ref.kind === "ReplicaSet" && !here.present) return this.#deploymentOf(here);
    if (here.owner === null) return null;
    const above = this.#cluster.workloads.get(here.owner);
    if (here.kind === "ReplicaSet") return above === undefined || !replicates(above) ? null : above.key;
    if (here.kind !== "StatefulSet") return null;
    if (here.owner.startsWith("Pod./")) return this.#leaderOwner(here.owner);
    return above?.kind === "LeaderWorkerSet" ? above.key : null;
  }

  /** A ReplicaSet that was not read is named after its Deployment and the template's hash. */
  #deploymentOf({ ref }: Workload): ObjectKey | null {
    const name = ref.name.slice(0, Math.max(0, ref.name.lastIndexOf("-")));
    const key = objectKey({ ...ref, kind: "Deployment", name });
    return this.#cluster.workloads.has(key) ? key : null;
  }

  /** Worker sets of a LeaderWorkerSet are owned by their leader pod: on to what owns that pod. */
  #leaderOwner(owner: ObjectKey): ObjectKey | null {
    this.#leaders ??= new Map(
      this.#cluster.pods.flatMap((pod) => (pod.owner === null ? [] : [[`Pod./${pod.key}`, pod.owner]])),
    );
    return this.#leaders.get(owner) ?? null;
  }
}

/** Deployments, and rollouts of other makers that scale: both replace the pods of their ReplicaSets. */
function replicates(workload: Workload): boolean {
  return workload.kind === "Deployment" || (workload.kind === "Other" && workload.scaleReplicas !== null);
}

function partOf(workload: Workload, pods: readonly Pod[]): Part {
  const template = templateOf(workload) ?? pods[0]?.template ?? null;
  const labels = new Map(workload.labels);
  for (const [key, value] of template?.labels ?? []) labels.set(key, value);
  return { workload, pods, template, labels };
}

/** Leaders stand for their group: what recognises an engine is on them. */
function templateOf(workload: Workload): PodTemplate | null {
  if (workload.kind === "Other") return null;
  return workload.kind === "LeaderWorkerSet" ? workload.leaderTemplate : workload.template;
}

/** Pods nobody owns are one part with those of the same labels, which is all they can be known by; without any, each its own. */
function alike(bare: readonly Pod[]): readonly (readonly [Pod, ...Pod[]])[] {
  const found = new Map<string, [Pod, ...Pod[]]>();
  for (const pod of bare) {
    const { labels } = pod.template;
    const key =
      labels.size === 0 ? pod.key : JSON.stringify([pod.namespace, ...[...labels].sort(byKey(([name]) => name))]);
    const others = found.get(key);
    if (others === undefined) found.set(key, [pod]);
    else others.push(pod);
  }
  return [...found.values()];
}

/** Once gone it stays gone. */
function bareWorkload(pod: Pod): Workload {
  const ref: ObjectRef = { apiVersion: "v1", kind: "Pod", namespace: pod.namespace, name: pod.name };
  return {
    kind: "Other",
    key: objectKey(ref),
    ref,
    labels: pod.template.labels,
    annotations: pod.template.annotations,
    owner: null,
    createdAtMs: pod.createdAtMs,
    source: pod.source,
    present: true,
    scaleReplicas: null,
  };
}

function kindKey(ref: ObjectRef): string {
  const key = objectKey(ref);
  return key.slice(0, key.indexOf("/"));
}

/** Most namespaces are one and the same text: one key of all three would be read to its end again and again. */
function sortedByRef<T>(items: Iterable<T>, refOf: (item: T) => ObjectRef): T[] {
  const byRef = (a: ObjectRef, b: ObjectRef): number =>
    byCodeUnit(a.namespace, b.namespace) || byCodeUnit(a.name, b.name) || byCodeUnit(a.kind, b.kind);
  return [...items].sort((a, b) => byRef(refOf(a), refOf(b)));
}
