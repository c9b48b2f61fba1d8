import type { SimMs } from "../base/units.ts";
import type { Cluster } from "../model/cluster.ts";
import { namespacedName } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { Pod } from "../model/pod.ts";
import { noResources, type Resources } from "../model/resources.ts";
import type { BudgetView, NodeView, PodView, WorkloadView } from "../model/view.ts";
import type { Workload } from "../model/workload.ts";
import { finalizerThatStays } from "../workload/pod-finalizers.ts";
import { isTerminal } from "../workload/pod-state.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
/** What the ledger keeps of an object: its view, to be changed through the journal alone. */
export type NodeRecord = Mutable<NodeView>;
export type PodRecord = Mutable<PodView>;
export type WorkloadRecord = Mutable<WorkloadView>;
export type BudgetRecord = Mutable<BudgetView>;

/** Stands for "before the scenario began". */
export const beforeStart: SimMs = -1;

/** Unix ms of the youngest thing in the cluster. */
export function newestMs(cluster: Cluster): number {
  let newest = 0;
  for (const pod of cluster.pods) {
    newest = Math.max(newest, pod.createdAtMs ?? 0, pod.scheduledAtMs ?? 0, pod.startedAtMs ?? 0, pod.readyAtMs ?? 0);
  }
  for (const workload of cluster.workloads.values()) newest = Math.max(newest, workload.createdAtMs ?? 0);
  return newest;
}

/** A moment of the input as the scenario counts, whose 0 is at `zeroUnixMs`; null: before it began. */
export function sinceMs(unixMs: number | null, zeroUnixMs: number): SimMs {
  return unixMs === null ? beforeStart : Math.min(beforeStart, unixMs - zeroUnixMs + beforeStart);
}

/** Without pods. */
export function nodeRecord(node: Node): NodeRecord {
  return {
    name: node.name,
    node,
    unschedulable: node.unschedulable,
    taints: node.taints,
    ready: node.ready,
    pods: [],
    requested: noResources,
    nonZeroMilliCpu: 0,
    nonZeroMemoryBytes: 0,
    generation: 0,
  };
}

/** A pod of the input; its uid is given later. */
export function podRecord(pod: Pod, node: NodeRecord | null, zeroUnixMs: number): PodRecord {
  const claimKeys = new Map([...pod.claimNames].map(([name, claim]) => [name, namespacedName(pod.namespace, claim)]));
  for (const claim of pod.template.resourceClaims) {
    if (claim.claimName !== null) claimKeys.set(claim.name, namespacedName(pod.namespace, claim.claimName));
  }
  const startedAtMs = pod.startedAtMs ?? pod.scheduledAtMs ?? pod.createdAtMs;
  return {
    // What all pods are asked for stands first: it comes with the record itself.
    uid: 0,
    template: pod.template,
    owner: pod.owner,
    terminatingSinceMs: pod.deleting ? beforeStart : null,
    mirror: pod.mirror,
    key: pod.key,
    namespace: pod.namespace,
    name: pod.name,
    requests: pod.requests,
    nonZeroMilliCpu: pod.nonZeroMilliCpu,
    nonZeroMemoryBytes: pod.nonZeroMemoryBytes,
    node,
    phase: pod.phase,
    ready: pod.ready && !isTerminal(pod),
    readySinceMs: pod.ready ? sinceMs(pod.readyAtMs ?? pod.createdAtMs, zeroUnixMs) : null,
    preempted: pod.preempted,
    createdAtMs: sinceMs(pod.createdAtMs, zeroUnixMs),
    startedAtMs: pod.phase === "Pending" ? null : sinceMs(startedAtMs, zeroUnixMs),
    nominatedNode: pod.nominatedNodeName,
    unschedulableMessage: "",
    restarts: pod.restarts,
    ordinal: pod.ordinal,
    revision: pod.revision,
    claimKeys,
    heldByFinalizer: pod.deleting && pod.finalizers.includes("foregroundDeletion"),
    keptByFinalizer: finalizerThatStays(pod.finalizers),
  };
}

export function workloadRecord(spec: Workload, createdAtMs: SimMs): WorkloadRecord {
  return {
    key: spec.key,
    spec,
    owner: spec.owner,
    deleting: false,
    foreground: false,
    createdAtMs,
    memory: null,
  };
}

/** An empty node gets all its pods at once. */
export function occupyWith(node: NodeRecord, pods: readonly PodRecord[]): void {
  node.pods = pods;
  const scalar = new Map<string, number>();
  let [milliCpu, memoryBytes, ephemeralStorageBytes] = [0, 0, 0];
  for (const { requests, nonZeroMilliCpu, nonZeroMemoryBytes } of pods) {
    milliCpu += requests.milliCpu;
    memoryBytes += requests.memoryBytes;
    ephemeralStorageBytes += requests.ephemeralStorageBytes;
    for (const [name, amount] of requests.scalar) scalar.set(name, (scalar.get(name) ?? 0) + amount);
    node.nonZeroMilliCpu += nonZeroMilliCpu;
    node.nonZeroMemoryBytes += nonZeroMemoryBytes;
  }
  node.requested = { milliCpu, memoryBytes, ephemeralStorageBytes, scalar };
}

/** The sum of what is asked for with one pod more, or one less. */
export function combine(sum: Resources, part: Resources, sign: 1 | -1): Resources {
  let scalar = sum.scalar;
  if (part.scalar.size > 0) {
    const next = new Map(sum.scalar);
    for (const [name, amount] of part.scalar) next.set(name, (next.get(name) ?? 0) + sign * amount);
    scalar = next;
  }
  return {
    milliCpu: sum.milliCpu + sign * part.milliCpu,
    memoryBytes: sum.memoryBytes + sign * part.memoryBytes,
    ephemeralStorageBytes: sum.ephemeralStorageBytes + sign * part.ephemeralStorageBytes,
    scalar,
  };
}
