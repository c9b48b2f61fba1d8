import { underKey } from "../base/under-key.ts";
import type { SimMs } from "../base/units.ts";
import type { PodKey } from "../model/key.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { isTerminal } from "../workload/pod-state.ts";
import type { DrainOutcome, Refusal } from "./trace.ts";

/** One maintenance of some nodes by an actor, under way. Immutable: a search forks it by keeping the old one. */
export interface MaintenanceState {
  /** Nodes not taken yet, in the order given. */
  readonly ahead: readonly string[];
  readonly closed: readonly string[];
  /** All of `ahead` before this place are closed: of thousands nobody looks for an open one again. */
  readonly closedAhead: number;
  readonly runs: ReadonlyMap<string, NodeRun>;
  /** How far each lane is, in their order. Shorter: the rest has not begun. */
  readonly lanes: readonly LanePhase[];
  /** Nodes that joined for the maintenance → the index of their lane; in order of joining. */
  readonly joined: ReadonlyMap<string, number>;
  /** Nodes of a batch that are closed and wait for the rest of it. */
  readonly batch: readonly string[];
  /** The next pod is asked before another node is taken. */
  readonly asksFirst: boolean;
  readonly over: boolean;
}

/** ahead: not begun. awaits: its new nodes are on their way. open: its nodes are worked on. leaves: its surge nodes leave. */
export type LanePhase = "ahead" | "awaits" | "open" | "leaves" | "over";

export interface NodeRun {
  /** joining: its new node is on the way. waiting: a notice runs. drained: restarts when all others are. */
  readonly phase: "joining" | "waiting" | "draining" | "drained" | "down" | "done";
  readonly fromMs: SimMs;
  readonly pods: ReadonlyMap<PodKey, Leaving>;
  /** The new node that stands for this one. */
  readonly replacement: "none" | "coming" | "here";
  /** Null: not ended. */
  readonly outcome: DrainOutcome | null;
  /** What it asked in vain until it used force. */
  readonly heldBy: readonly Refusal[];
}

/** A pod on its way off a node. */
export interface Leaving {
  readonly uid: number;
  /** held: not asked for, by the actor's own rule. */
  readonly state: "ask" | "refused" | "going" | "failed" | "held";
  readonly wave: number;
  readonly firstTryMs: SimMs;
  readonly refusal: Refusal | null;
  /** The ledger's `changes` when it was last refused: nothing new, no new answer. */
  readonly askedAt: number;
  readonly retryAtMs: SimMs | null;
}

export const notStarted = (nodes: readonly string[]): MaintenanceState => ({
  ahead: nodes,
  closed: [],
  closedAhead: 0,
  runs: new Map(),
  lanes: [],
  joined: new Map(),
  batch: [],
  asksFirst: false,
  over: false,
});

/** What of a maintenance no node's own part tells: for naming states. */
export function maintenanceKey({ lanes, joined, batch, asksFirst }: MaintenanceState): string {
  return `${lanes.join(",")}/${joined.size}/${batch.length}/${asksFirst}`;
}

export function withRun(state: MaintenanceState, node: string, run: NodeRun): MaintenanceState {
  return { ...state, runs: new Map(state.runs).set(node, run) };
}

export function withPod(run: NodeRun, pod: PodKey, leaving: Leaving): NodeRun {
  return { ...run, pods: new Map(run.pods).set(pod, leaving) };
}

export function refusalsOf(run: NodeRun): readonly Refusal[] {
  return [...run.pods.values()].flatMap(({ refusal }) => (refusal === null ? [] : [refusal]));
}

/** Of the pods of a run: what is asked about it at every step. */
export interface Asking {
  /** Whose eviction is to be asked for, of the lowest wave that is there; in their order. */
  readonly keys: readonly PodKey[];
  /** Some were refused, and no moment is set at which they are asked again. */
  readonly waits: boolean;
}

export function askingOf({ pods }: NodeRun): Asking {
  return (
    askings.get(pods) ??
    underKey(askings, pods, () => {
      let lowest = Number.POSITIVE_INFINITY;
      let waits = false;
      for (const { state, wave, retryAtMs } of pods.values()) {
        lowest = Math.min(lowest, wave);
        waits ||= state === "refused" && retryAtMs === null;
      }
      const keys: PodKey[] = [];
      for (const [pod, { state, wave }] of pods) if (state === "ask" && wave === lowest) keys.push(pod);
      return { keys, waits };
    })
  );
}

const askings = new WeakMap<NodeRun["pods"], Asking>();

/** Why a drain is not over: who may not go, and who was told to stop and is still there. */
export function blockersOf(view: ClusterView, run: NodeRun): readonly Refusal[] {
  return [...run.pods].flatMap(([key, { state, uid, refusal }]) => {
    if (state !== "going") return refusal === null ? [] : [refusal];
    const pod = view.pod(key);
    if (pod === undefined || pod.uid !== uid) return [];
    return [{ pod: key, code: 0, message: whyStillThere(pod), cause: "" }];
  });
}

function whyStillThere({ node, phase, keptByFinalizer, template }: PodView): string {
  if (keptByFinalizer !== "" && isTerminal({ phase }))
    return `has stopped, but its finalizer ${keptByFinalizer} keeps its object, and nobody here takes that off`;
  return node?.ready === false
    ? `told to stop, but the kubelet of ${node.name} does not answer: nobody confirms that it has`
    : `still stopping, and may take as long as its terminationGracePeriodSeconds of ${template.terminationGraceMs / 1000}`;
}

export function isBusy({ phase, replacement }: NodeRun): boolean {
  return (phase !== "done" && phase !== "drained") || replacement === "coming";
}
