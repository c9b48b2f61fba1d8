import { namespacedName, type ObjectKey, objectKey } from "../model/key.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { derivedTemplate, templateContent } from "../model/template-content.ts";
import type { ClusterView, ControllerMemory, PodView, WorkloadView } from "../model/view.ts";
import type { LeaderWorkerSet, StatefulSet } from "../model/workload.ts";
import { podObjectKey } from "./garbage-collector.ts";
import { groupLabels } from "./group-pod.ts";

export const groupControllerName = "lws-controller";

/** One version of a set's templates. */
export interface GroupRevision {
  /** Value of the label template-revision-hash. */
  readonly key: string;
  readonly leaderTemplate: PodTemplate;
  readonly workerTemplate: PodTemplate;
  readonly size: number;
}

export interface GroupSetMemory extends ControllerMemory {
  readonly kind: "leader-worker-set";
  /** Oldest first; the last is the one the set wants. A group below the partition comes back by an older one. */
  readonly revisions: readonly GroupRevision[];
  readonly made: number;
}

/** One group as it stands. */
export interface Group {
  readonly index: number;
  readonly leader: PodView;
  /** The StatefulSet of the workers; undefined: not there. */
  readonly workers: WorkloadView | undefined;
  readonly workerPods: readonly PodView[];
}

export function groupSetMemory(view: ClusterView, workload: WorkloadView, lws: LeaderWorkerSet): GroupSetMemory {
  const { memory } = workload;
  if (isGroupSetMemory(memory)) return memory;
  const read = view.cluster.workloads.get(workload.key);
  const leaders = leaderSetOf(view, lws);
  if (read?.kind !== "LeaderWorkerSet" || leaders === null) {
    return { kind: "leader-worker-set", revisions: [revisionOf(lws, "~1")], made: 1 };
  }
  const key = leaders.set.template.labels.get(groupLabels.revision) ?? "";
  return { kind: "leader-worker-set", revisions: [revisionOf(read, key)], made: 0 };
}

function isGroupSetMemory(memory: ControllerMemory | null): memory is GroupSetMemory {
  return memory?.kind === "leader-worker-set";
}

/** The memory with the set's present templates as its last revision; the same object when they are that already. */
export function withCurrentRevision(memory: GroupSetMemory, lws: LeaderWorkerSet): GroupSetMemory {
  const wanted = revisionOf(lws, "");
  const last = memory.revisions.at(-1);
  if (last !== undefined && sameTemplates(last, wanted)) return memory;
  const known = memory.revisions.find((revision) => sameTemplates(revision, wanted));
  const others = memory.revisions.filter((revision) => revision !== known);
  if (known !== undefined) return { ...memory, revisions: [...others, known] };
  const made = memory.made + 1;
  return { ...memory, revisions: [...others, revisionOf(lws, `~${made}`)], made };
}

function revisionOf({ leaderTemplate, workerTemplate, size }: LeaderWorkerSet, key: string): GroupRevision {
  return { key, leaderTemplate, workerTemplate, size };
}

function sameTemplates(a: GroupRevision, b: GroupRevision): boolean {
  return (
    a.size === b.size &&
    templateContent(a.leaderTemplate) === templateContent(b.leaderTemplate) &&
    templateContent(a.workerTemplate) === templateContent(b.workerTemplate)
  );
}

function statefulSetKey(namespace: string, name: string): ObjectKey {
  return objectKey({ apiVersion: "apps/v1", kind: "StatefulSet", namespace, name });
}

export function leaderSetOf(
  view: ClusterView,
  { ref }: LeaderWorkerSet,
): { readonly workload: WorkloadView; readonly set: StatefulSet } | null {
  const workload = view.workload(statefulSetKey(ref.namespace, ref.name));
  return workload?.spec.kind === "StatefulSet" ? { workload, set: workload.spec } : null;
}

/** The group of this index; null: its leader is not there. */
export function groupOf(view: ClusterView, { ref }: LeaderWorkerSet, index: number): Group | null {
  const name = `${ref.name}-${index}`;
  const leader = view.pod(namespacedName(ref.namespace, name));
  if (leader === undefined) return null;
  const workers = view.workload(statefulSetKey(ref.namespace, name));
  const pods = workers === undefined ? [] : view.podsOwnedBy(workers.key);
  return { index, leader, workers, workerPods: pods.filter((pod) => isOf(leader, pod)) };
}

/** Workers are younger than their leader: older ones are what an earlier leader of that name left behind. */
function isOf(leader: PodView, pod: PodView): boolean {
  return leader.createdAtMs < 0 || pod.uid > leader.uid;
}

/** Mirrors: kubernetes-sigs/lws pkg/controllers/leaderworkerset_controller.go constructLeaderStatefulSetApplyConfiguration, v0.10. */
export function leaderSet(
  lws: LeaderWorkerSet,
  owner: ObjectKey,
  revision: GroupRevision,
  replicas: number,
): StatefulSet {
  const { namespace, name } = lws.ref;
  const labels = new Map([
    [groupLabels.setName, name],
    [groupLabels.revision, revision.key],
  ]);
  return {
    ...blankSet(lws, namespace, name, owner),
    labels,
    annotations: new Map([[groupLabels.replicas, String(lws.replicas)]]),
    replicas,
    selector: selectorOf([
      [groupLabels.setName, name],
      [groupLabels.workerIndex, "0"],
    ]),
    template: leaderTemplate(lws, revision),
    ordinalsStart: 0,
    updateStrategy: { type: "RollingUpdate", partition: 0, maxUnavailable: lws.rollout.maxUnavailable },
  };
}

export function leaderTemplate(lws: LeaderWorkerSet, revision: GroupRevision): PodTemplate {
  const { leaderTemplate: template, key, size } = revision;
  const labels: readonly (readonly [string, string])[] = [
    [groupLabels.workerIndex, "0"],
    [groupLabels.setName, lws.ref.name],
    [groupLabels.revision, key],
  ];
  return derivedTemplate(template, labels, {
    annotations: new Map([...template.annotations, ...sizeAnnotations(lws, size)]),
  });
}

/** Mirrors: kubernetes-sigs/lws pkg/controllers/pod_controller.go constructWorkerStatefulSetApplyConfiguration, v0.10. */
export function workerSet(lws: LeaderWorkerSet, leader: PodView, revision: GroupRevision): StatefulSet {
  const labelOf = (name: string): string => leader.template.labels.get(name) ?? "";
  const group: readonly (readonly [string, string])[] = [
    [groupLabels.groupIndex, labelOf(groupLabels.groupIndex)],
    [groupLabels.setName, lws.ref.name],
    [groupLabels.groupKey, labelOf(groupLabels.groupKey)],
  ];
  const labels = new Map([...group, [groupLabels.revision, labelOf(groupLabels.revision)] as const]);
  const { workerTemplate: template, size } = revision;
  const annotations = new Map([
    ...template.annotations,
    ...sizeAnnotations(lws, size),
    [groupLabels.leaderName, leader.name],
  ]);
  return {
    ...blankSet(lws, leader.namespace, leader.name, podObjectKey(leader)),
    labels,
    annotations: new Map(),
    replicas: size - 1,
    selector: selectorOf(group),
    template: derivedTemplate(template, labels, { annotations, nodeSelector: nodeSelectorOf(lws, leader, template) }),
    ordinalsStart: 1,
    updateStrategy: { type: "RollingUpdate", partition: 0, maxUnavailable: null },
  };
}

/** With exclusive topology the workers go to their leader's domain. */
function nodeSelectorOf(lws: LeaderWorkerSet, leader: PodView, template: PodTemplate): PodTemplate["nodeSelector"] {
  const key = lws.exclusiveTopologyKey;
  if (key === null) return template.nodeSelector;
  return new Map([...template.nodeSelector, [key, leader.node?.node.labels.get(key) ?? ""]]);
}

function sizeAnnotations(lws: LeaderWorkerSet, size: number): readonly (readonly [string, string])[] {
  const own: readonly (readonly [string, string])[] = [[groupLabels.size, String(size)]];
  const key = lws.exclusiveTopologyKey;
  return key === null ? own : [...own, [groupLabels.exclusiveTopology, key]];
}

type BlankSet = Pick<
  StatefulSet,
  | "kind"
  | "key"
  | "ref"
  | "owner"
  | "createdAtMs"
  | "source"
  | "serviceName"
  | "podManagement"
  | "minReadyMs"
  | "volumeClaimTemplates"
  | "currentRevision"
  | "updateRevision"
>;

function blankSet(lws: LeaderWorkerSet, namespace: string, name: string, owner: ObjectKey): BlankSet {
  return {
    kind: "StatefulSet",
    key: statefulSetKey(namespace, name),
    ref: { apiVersion: "apps/v1", kind: "StatefulSet", namespace, name },
    owner,
    createdAtMs: null,
    source: lws.source,
    serviceName: lws.ref.name,
    podManagement: "Parallel",
    minReadyMs: 0,
    volumeClaimTemplates: [],
    currentRevision: "",
    updateRevision: "",
  };
}

function selectorOf(labels: readonly (readonly [string, string])[]): StatefulSet["selector"] {
  return { requirements: labels.map(([key, value]) => ({ key, operator: "In", values: [value] })), invalid: false };
}
