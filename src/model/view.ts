import type { SimMs } from "../base/units.ts";
import type { Cluster } from "./cluster.ts";
import type { Allocation, ResourceClaim } from "./device.ts";
import type { ObjectKey, PodKey } from "./key.ts";
import type { Node } from "./node.ts";
import type { PodTemplate, Taint } from "./pod-template.ts";
import type { AdmissionWebhook, Autoscaler, Budget, BudgetStatus, Quota, Service } from "./policy.ts";
import type { Resources } from "./resources.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "./storage.ts";
import type { Workload } from "./workload.ts";

/**
 * The moving part of a cluster, as rules read it. `sim/ledger.ts` implements it; filters, scores, eviction rules and
 * controllers only read. Every object here is stable by identity while it exists.
 */
export interface ClusterView {
  readonly cluster: Cluster;
  readonly nowMs: SimMs;
  /** Existing nodes in the API server's order (input order; later ones appended). */
  readonly nodes: readonly NodeView[];
  node(name: string): NodeView | undefined;
  /** So many times has a node become another, or the same as before: for who remembers how far they have looked. */
  readonly touches: number;
  /** The nodes of those times, each once and in no order; null: too long ago, it may be any. */
  touchedSince(touches: number): readonly NodeView[] | null;
  /** Existing pods, terminating ones too, in order of creation. */
  readonly pods: Iterable<PodView>;
  pod(key: PodKey): PodView | undefined;
  /** Waiting pods that preemption nominated to a node, in order of creation. */
  readonly nominated: readonly PodView[];
  /** Pods whose controlling owner is this object, in order of creation. */
  podsOwnedBy(owner: ObjectKey): readonly PodView[];
  /** The nodes of these, one for each; null: some are on none, have finished, or leave. */
  hostsOf(owner: ObjectKey): readonly string[] | null;
  /** How many of them are how far. */
  podCounts(owner: ObjectKey): PodCounts;
  /** Pods bound to a node, finished ones too, in no order. */
  podsOn(node: string): readonly PodView[];
  /** Pods of a namespace, in order of creation. */
  podsIn(namespace: string): readonly PodView[];
  /** The same pods by template. One list for a namespace, which only ever grows: for who remembers how far they have read. */
  cohortsIn(namespace: string): readonly PodCohort[];
  readonly workloads: Iterable<WorkloadView>;
  workload(key: ObjectKey): WorkloadView | undefined;
  workloadsOwnedBy(owner: ObjectKey): readonly WorkloadView[];
  readonly budgets: readonly BudgetView[];
  readonly services: readonly Service[];
  readonly autoscalers: readonly Autoscaler[];
  readonly quotas: readonly Quota[];
  readonly webhooks: readonly AdmissionWebhook[];
  /** Ready endpoints of a Service (`namespace/name`): EndpointSlice condition ready. */
  readyEndpoints(service: string): number;
  volumeClaim(key: string): PersistentVolumeClaim | undefined;
  readonly volumeClaims: Iterable<PersistentVolumeClaim>;
  volume(name: string): PersistentVolume | undefined;
  readonly volumes: Iterable<PersistentVolume>;
  resourceClaim(key: string): ResourceClaim | undefined;
  readonly resourceClaims: Iterable<ResourceClaim>;
}

export interface NodeView {
  readonly name: string;
  readonly node: Node;
  readonly unschedulable: boolean;
  /** With the node controllers' own taints (unschedulable, not-ready, unreachable). */
  readonly taints: readonly Taint[];
  /** The Node's Ready condition. */
  readonly ready: boolean;
  /** Pods bound here that still hold room: terminating ones yes, Succeeded and Failed no. In order of binding. */
  readonly pods: readonly PodView[];
  /** Tells of each of them, in that order: without a view of those that nobody has looked at. */
  tellPods(tell: TellPod): void;
  /** How many they are, without a view of those that nobody has looked at. */
  readonly podCount: number;
  /** Sum over `pods`. */
  readonly requested: Resources;
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemoryBytes: number;
  /** Another number whenever anything above changes; never one that stood for something else. 0: as it was read. */
  readonly generation: number;
  /** The same for its pods and their sums alone. */
  readonly podsGeneration: number;
}

/** What is told of a pod without a view of it. Its template may be the form of the one that it has. */
export type ToldPod = Pick<
  PodView,
  "template" | "owner" | "mirror" | "requests" | "nonZeroMilliCpu" | "nonZeroMemoryBytes"
>;

export type TellPod = (pod: ToldPod, uid: number, isTerminating: boolean) => void;

export function tellAll(pods: readonly PodView[], tell: TellPod): void {
  for (const pod of pods) tell(pod, pod.uid, pod.terminatingSinceMs !== null);
}

export interface PodView {
  /** Dense, in order of creation, never reused. */
  readonly uid: number;
  readonly key: PodKey;
  readonly namespace: string;
  readonly name: string;
  readonly template: PodTemplate;
  readonly owner: ObjectKey | null;
  readonly requests: Resources;
  /** As requests, with the scheduler's stand-ins for what a container does not state: scores only. */
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemoryBytes: number;
  readonly node: NodeView | null;
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  readonly ready: boolean;
  /** Since when it has been ready without a break; null when unready. Negative: before the scenario. */
  readonly readySinceMs: SimMs | null;
  /** deletionTimestamp set at; null: not terminating. */
  readonly terminatingSinceMs: SimMs | null;
  /** Terminating because the scheduler needed its room. */
  readonly preempted: boolean;
  readonly createdAtMs: SimMs;
  /** When its start counted for preemption and ordering; null: not started. */
  readonly startedAtMs: SimMs | null;
  readonly nominatedNode: string;
  /** The scheduler's message while it waits; "" when bound or never tried. */
  readonly unschedulableMessage: string;
  readonly mirror: boolean;
  readonly restarts: number;
  readonly ordinal: number | null;
  readonly revision: string;
  /** Claim name in the spec → ResourceClaim key (`namespace/name`); empty until made. */
  readonly claimKeys: ReadonlyMap<string, string>;
  /** Finalizers that keep it after termination (`foregroundDeletion`). */
  readonly heldByFinalizer: boolean;
  /** A finalizer that nobody here takes off: its object stays for good once it is deleted. "" none. */
  readonly keptByFinalizer: string;
}

/** How many pods of one owner are how far. */
export interface PodCounts {
  /** Neither finished nor terminating. */
  readonly active: number;
  /** Of those, the ready ones. */
  readonly ready: number;
  /** Not finished: terminating ones too. */
  readonly unfinished: number;
  /** Active ones without a node. */
  readonly unbound: number;
}

/** The pods of one template in a namespace: what labels say of one holds for all of them. */
export interface PodCohort {
  readonly template: PodTemplate;
  /** In order of creation. Empty: they are gone. */
  readonly pods: readonly PodView[];
  /** How many they are, without a view of each. */
  readonly size: number;
  /** Ready and not terminating. */
  readonly healthy: number;
  /** Whose they are, ever. Undefined: not of one owner alone. */
  readonly owner: ObjectKey | null | undefined;
}

export interface WorkloadView {
  readonly key: ObjectKey;
  /** The object's spec as it is now (scaled, patched). `replicas` in it is current. */
  readonly spec: Workload;
  readonly owner: ObjectKey | null;
  readonly deleting: boolean;
  /** Foreground: the object stays until what it owns is gone. */
  readonly foreground: boolean;
  readonly createdAtMs: SimMs;
  /** Free-form state of its controller between steps (revision names, back-off until); plain immutable data, replaced whole. */
  readonly memory: ControllerMemory | null;
}

/** Each controller declares its own shape by `kind`; see src/workload. */
export interface ControllerMemory {
  readonly kind: string;
  readonly [field: string]: unknown;
}

export interface BudgetView {
  readonly budget: Budget;
  readonly status: BudgetStatus;
  /** Pod key → when its eviction was accepted; entries expire after 2 minutes. */
  readonly disruptedPods: ReadonlyMap<PodKey, SimMs>;
}

/** What a rule asks the ledger to do. The ledger is the only one that changes anything. */
export type Effect =
  | {
      readonly do: "createPod";
      readonly owner: ObjectKey;
      /** Null: the ledger names it `<owner name>-~n`. */
      readonly name: string | null;
      /** Made by a controller when its id is `notInterned` (template-content.ts): the ledger gives it the number of its content. */
      readonly template: PodTemplate;
      readonly ordinal: number | null;
      readonly revision: string;
    }
  | {
      readonly do: "deletePod";
      readonly pod: PodKey;
      /** Who: `replicaset-controller`, `taint-manager`, `kube-scheduler`, `podgc`, `kubelet`, `garbage-collector`, `lws-controller`, … */
      readonly by: string;
      /** Null: the pod's own grace. 0: gone at once. */
      readonly graceMs: number | null;
      readonly foreground: boolean;
      /** DisruptionTarget reason, "" none. */
      readonly reason: string;
    }
  | {
      readonly do: "setReplicas";
      readonly workload: ObjectKey;
      readonly replicas: number;
      readonly by: string;
      readonly reason: string;
    }
  | { readonly do: "createWorkload"; readonly spec: Workload; readonly by: string }
  | {
      readonly do: "deleteWorkload";
      readonly workload: ObjectKey;
      readonly by: string;
      readonly propagation: "background" | "foreground" | "orphan";
    }
  /** The foregroundDeletion finalizer of a terminating pod goes: what it owned is gone. */
  | { readonly do: "releaseFinalizer"; readonly pod: PodKey }
  | { readonly do: "setSpec"; readonly workload: ObjectKey; readonly spec: Workload; readonly by: string }
  /** Null: forget. */
  | { readonly do: "remember"; readonly workload: ObjectKey; readonly memory: ControllerMemory | null }
  /** Look at this workload again then, even if nothing happens. Asking twice for the same moment is asking once: no change. */
  | { readonly do: "wake"; readonly workload: ObjectKey; readonly atMs: SimMs }
  /** Something a person should see: `rollout-stalled`, `pod-rejected` and the like, into the timeline. */
  | { readonly do: "report"; readonly type: string; readonly ref: ObjectKey; readonly message: string }
  /** A claim that does not exist is made for the pod: the scheduler's own, for extended resources that devices provide. */
  | { readonly do: "allocateClaim"; readonly claim: string; readonly allocation: Allocation; readonly pod: PodKey }
  /** Takes the devices from a claim nobody runs with, so that others can be tried. */
  | { readonly do: "deallocateClaim"; readonly claim: string }
  | { readonly do: "bindVolumeClaim"; readonly claim: string; readonly volume: string | null; readonly node: string };
