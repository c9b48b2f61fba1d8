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
/** Bound, and its containers run: a Service may send it requests. */
const reachable = 16;

/** Of a pod that is not there. */
export const noStage: Stage = 0;
/** Something else about the pod changed: whoever looks at it looks again. */
export const anyStage: Stage = -1;

export function stageOf(pod: PodView): Stage {
  return (
    there |
    (isTerminal(pod) ? over : 0) |
    (pod.terminatingSinceMs === null ? 0 : leaving) |
    (pod.ready ? ready : 0) |
    (pod.node === null || pod.phase === "Pending" ? 0 : reachable)
  );
}

/** Budgets count pods, and those that are ready and stay. */
export function isForBudgets(before: Stage, after: Stage): boolean {
  return before === anyStage || ((before ^ after) & (there | leaving | ready)) !== 0;
}

/** Controllers count these. */
export function isForCounts(before: Stage, after: Stage): boolean {
  return before === anyStage || ((before ^ after) & ~reachable) !== 0;
}

/** All it changed is how far the pod is on its way to serve. */
export function comesUp(before: Stage, after: Stage): boolean {
  return before !== anyStage && ((before ^ after) & (there | over | leaving)) === 0;
}

export const noCounts: PodCounts = { active: 0, ready: 0, unfinished: 0 };

/** With one pod that went from one stage to another. */
export function recounted(counts: PodCounts, before: Stage, after: Stage): PodCounts {
  return {
    active: counts.active + Number(isActive(after)) - Number(isActive(before)),
    ready: counts.ready + Number(isActive(after) && isReady(after)) - Number(isActive(before) && isReady(before)),
    unfinished: counts.unfinished + Number(isUnfinished(after)) - Number(isUnfinished(before)),
  };
}

export function countsOf(pods: readonly PodView[]): PodCounts {
  let [active, readyOnes, unfinished] = [0, 0, 0];
  for (const pod of pods) {
    const stage = stageOf(pod);
    if (!isUnfinished(stage)) continue;
    unfinished += 1;
    if (!isActive(stage)) continue;
    active += 1;
    if (isReady(stage)) readyOnes += 1;
  }
  return { active, ready: readyOnes, unfinished };
}

/** Ready, and not on its way out. */
export function isHealthy(stage: Stage): boolean {
  return isReady(stage) && (stage & leaving) === 0;
}

function isUnfinished(stage: Stage): boolean {
  return (stage & (there | over)) === there;
}

function isActive(stage: Stage): boolean {
  return (stage & (there | over | leaving)) === there;
}

function isReady(stage: Stage): boolean {
  return (stage & ready) !== 0;
}
