import type { PodKin } from "../model/pod-columns.ts";
import type { PodCounts, PodView } from "../model/view.ts";
import { isTerminal } from "../workload/pod-state.ts";

/**
 * How far a pod is, as those see it who count pods: controllers, budgets, Services. Bits of a number. A change that leaves it
 * as it was is nothing to them.
 */
export type Stage = number;

const there = 1;
const over = 2;
const leaving = 4;
const ready = 8;
const bound = 16;
/** Bound, and its containers run: a Service may send it requests. */
const reachable = 32;

/** Of a pod that is not there. */
export const noStage: Stage = 0;
/** Something else about the pod changed: whoever looks at it looks again. */
export const anyStage: Stage = -1;

export function stageOf(pod: PodView): Stage {
  return stage(pod.phase, { leaves: pod.terminatingSinceMs !== null, isReady: pod.ready, isBound: pod.node !== null });
}

/** Of a pod as it was read, by what it has in common with others. */
export function stageAsRead(kin: Pick<PodKin, "phase" | "ready" | "deleting">, isBound: boolean): Stage {
  return stage(kin.phase, { leaves: kin.deleting, isReady: kin.ready && !isTerminal(kin), isBound });
}

function stage(
  phase: PodView["phase"],
  { leaves, isReady, isBound }: { readonly leaves: boolean; readonly isReady: boolean; readonly isBound: boolean },
): Stage {
  return (
    there |
    (isTerminal({ phase }) ? over : 0) |
    (leaves ? leaving : 0) |
    (isReady ? ready : 0) |
    (isBound ? bound : 0) |
    (isBound && phase !== "Pending" ? reachable : 0)
  );
}

/** Budgets count pods, and those that are ready and stay. */
export function isForBudgets(before: Stage, after: Stage): boolean {
  return before === anyStage || ((before ^ after) & (there | leaving | ready)) !== 0;
}

/** ReplicaSets count what is active. */
export function isForReplicas(before: Stage, after: Stage): boolean {
  return before === anyStage || isActive(before) !== isActive(after);
}

/** Deployments count what is ready too, and wait for all to be gone. */
export function isForRollouts(before: Stage, after: Stage): boolean {
  return before === anyStage || ((before ^ after) & (there | over | leaving | ready)) !== 0;
}

/** Services and paths count these. */
export function isForServices(before: Stage, after: Stage): boolean {
  return before === anyStage || ((before ^ after) & ~bound) !== 0;
}

/** All it changed is how far the pod is on its way to serve. */
export function comesUp(before: Stage, after: Stage): boolean {
  return before !== anyStage && ((before ^ after) & (there | over | leaving | bound)) === 0;
}

/** With one pod that went from one stage to another. */
export function recounted(counts: PodCounts, before: Stage, after: Stage): PodCounts {
  return {
    active: counts.active + Number(isActive(after)) - Number(isActive(before)),
    ready: counts.ready + Number(isActive(after) && isReady(after)) - Number(isActive(before) && isReady(before)),
    unfinished: counts.unfinished + Number(isUnfinished(after)) - Number(isUnfinished(before)),
    unbound: counts.unbound + Number(isUnbound(after)) - Number(isUnbound(before)),
  };
}

export function countsOf(stages: Int32Array): PodCounts {
  let [active, readyOnes, unfinished, unbound] = [0, 0, 0, 0];
  for (let i = 0; i < stages.length; i += 1) {
    const stage = stages[i] ?? noStage;
    if (!isUnfinished(stage)) continue;
    unfinished += 1;
    if (!isActive(stage)) continue;
    active += 1;
    if (isReady(stage)) readyOnes += 1;
    if (isUnbound(stage)) unbound += 1;
  }
  return { active, ready: readyOnes, unfinished, unbound };
}

/** Ready, and not on its way out. */
export function isHealthy(stage: Stage): boolean {
  return isReady(stage) && (stage & leaving) === 0;
}

/** Active, and on a node. */
export function isPlaced(stage: Stage): boolean {
  return isActive(stage) && (stage & bound) !== 0;
}

function isUnfinished(stage: Stage): boolean {
  return (stage & (there | over)) === there;
}

function isActive(stage: Stage): boolean {
  return (stage & (there | over | leaving)) === there;
}

function isUnbound(stage: Stage): boolean {
  return (stage & (there | over | leaving | bound)) === there;
}

function isReady(stage: Stage): boolean {
  return (stage & ready) !== 0;
}
