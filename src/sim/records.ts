import type { SimMs } from "../base/units.ts";
import { namespacedName } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { Pod } from "../model/pod.ts";
import { kinOf } from "../model/pod-columns.ts";
import type { Taint } from "../model/pod-template.ts";
import type { Resources } from "../model/resources.ts";
import {
  type BudgetView,
  type NodeView,
  type PodCohort,
  type PodView,
  type TellPod,
  tellAll,
  type WorkloadView,
} from "../model/view.ts";
import type { Workload } from "../model/workload.ts";
import { finalizerThatStays } from "../workload/pod-finalizers.ts";
import { isTerminal } from "../workload/pod-state.ts";
import type { NodeLoad } from "./node-loads.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
/** What the ledger keeps of an object: its view, to be changed through the journal alone. */
export type NodeRecord = Mutable<NodeView>;
export type PodRecord = Mutable<PodView>;
export type WorkloadRecord = Mutable<WorkloadView>;
export type BudgetRecord = Mutable<BudgetView>;
export type CohortRecord = Mutable<PodCohort> & { readonly pods: PodRecord[] };

/** Stands for "before the scenario began". */
export const beforeStart: SimMs = -1;

/** A moment of the input as the scenario counts, whose 0 is at `zeroUnixMs`; null: before it began. */
export function sinceMs(unixMs: number | null, zeroUnixMs: number): SimMs {
  return unixMs === null ? beforeStart : Math.min(beforeStart, unixMs - zeroUnixMs + beforeStart);
}

/** The pods on a node as read, of which it looks at what is asked for. */
export interface Standing {
  /** Their records, made for it. */
  records(): readonly PodRecord[];
  /** Without making any. */
  tell(tell: TellPod): void;
  /** What they come to, where that is known; else it is summed up while they are told, and known from then on. */
  load(alsoTell: TellPod | null): NodeLoad;
}

export function nodeRecord(node: Node, standing: Standing): NodeRecord {
  return new LiveNode(node, standing);
}

/** Its pods are looked at when somebody asks for them or their sums. */
class LiveNode implements NodeRecord {
  name: string;
  node: Node;
  unschedulable: boolean;
  taints: readonly Taint[];
  ready: boolean;
  generation = 0;
  podsGeneration = 0;
  readonly #standing: Standing;
  #pods: readonly PodView[] | null = null;
  #load: Mutable<NodeLoad> | null = null;

  constructor(node: Node, standing: Standing) {
    this.name = node.name;
    this.node = node;
    this.unschedulable = node.unschedulable;
    this.taints = node.taints;
    this.ready = node.ready;
    this.#standing = standing;
  }

  get pods(): readonly PodView[] {
    this.#pods ??= this.#standing.records();
    return this.#pods;
  }
  set pods(pods: readonly PodView[]) {
    // Sums are of what stood before, whatever comes now.
    this.#loaded();
    this.#pods = pods;
  }
  tellPods(tell: TellPod): void {
    if (this.#pods !== null) tellAll(this.#pods, tell);
    // Who hears of all pods asks for their sums next: one look at each does for both.
    else if (this.#load === null) this.#load = { ...this.#standing.load(tell) };
    else this.#standing.tell(tell);
  }
  get podCount(): number {
    return this.#pods?.length ?? this.#loaded().count;
  }
  get requested(): Resources {
    return this.#loaded().requested;
  }
  set requested(requested: Resources) {
    this.#loaded().requested = requested;
  }
  get nonZeroMilliCpu(): number {
    return this.#loaded().nonZeroMilliCpu;
  }
  set nonZeroMilliCpu(nonZeroMilliCpu: number) {
    this.#loaded().nonZeroMilliCpu = nonZeroMilliCpu;
  }
  get nonZeroMemoryBytes(): number {
    return this.#loaded().nonZeroMemoryBytes;
  }
  set nonZeroMemoryBytes(nonZeroMemoryBytes: number) {
    this.#loaded().nonZeroMemoryBytes = nonZeroMemoryBytes;
  }

  #loaded(): Mutable<NodeLoad> {
    this.#load ??= { ...this.#standing.load(null) };
    return this.#load;
  }
}

/** A pod of the input. */
export function podRecord(
  pod: Pod,
  { uid, node, zeroUnixMs }: { readonly uid: number; readonly node: NodeRecord | null; readonly zeroUnixMs: number },
): PodRecord {
  const startedAtMs = pod.startedAtMs ?? pod.scheduledAtMs ?? pod.createdAtMs;
  const { key } = pod;
  // Most of it is looked up once for all that are alike.
  const kin = kinOf(pod);
  return {
    // What all pods are asked for stands first: it comes with the record itself.
    uid,
    template: pod.template,
    owner: kin.owner,
    terminatingSinceMs: kin.deleting ? beforeStart : null,
    mirror: kin.mirror,
    key,
    namespace: kin.namespace,
    name: key.slice(kin.namespace.length + 1),
    requests: kin.requests,
    nonZeroMilliCpu: kin.nonZeroMilliCpu,
    nonZeroMemoryBytes: kin.nonZeroMemoryBytes,
    node,
    phase: kin.phase,
    ready: kin.ready && !isTerminal(kin),
    readySinceMs: kin.ready ? sinceMs(pod.readyAtMs ?? pod.createdAtMs, zeroUnixMs) : null,
    preempted: kin.preempted,
    createdAtMs: sinceMs(pod.createdAtMs, zeroUnixMs),
    startedAtMs: kin.phase === "Pending" ? null : sinceMs(startedAtMs, zeroUnixMs),
    nominatedNode: kin.nominatedNodeName,
    unschedulableMessage: "",
    restarts: pod.restarts,
    ordinal: kin.ordinal,
    revision: kin.revision,
    claimKeys: claimKeysOf(pod),
    heldByFinalizer: kin.deleting && kin.finalizers.includes("foregroundDeletion"),
    keptByFinalizer: finalizerThatStays(kin.finalizers),
  };
}

/** Few pods have any. */
export const noClaimKeys: PodView["claimKeys"] = new Map();

function claimKeysOf(pod: Pod): PodView["claimKeys"] {
  const { namespace, claimNames } = pod;
  const { template } = kinOf(pod);
  if (claimNames.size === 0 && template.resourceClaims.length === 0) return noClaimKeys;
  const claimKeys = new Map([...claimNames].map(([name, claim]) => [name, namespacedName(namespace, claim)]));
  for (const claim of template.resourceClaims) {
    if (claim.claimName !== null) claimKeys.set(claim.name, namespacedName(namespace, claim.claimName));
  }
  return claimKeys;
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
