import type { Cycle } from "../framework.ts";
import { startOf, type Victims } from "./victims.ts";

/** Each criterion decides only among nodes the ones before it left equal. Larger is better. */
const criteria: readonly ((cycle: Cycle, victims: Victims) => number)[] = [
  (_, { budgetViolations }) => -budgetViolations,
  (_, { pods }) => -(pods[0]?.template.priority ?? 0),
  // Every priority is lifted above zero first, so that more pods never weigh less.
  (_, { pods }) => -pods.reduce((sum, pod) => sum + pod.template.priority + 2 ** 31, 0),
  (_, { pods }) => -pods.length,
  (cycle, { pods }) => earliestStart(cycle, pods),
];

/**
 * The best of the candidates, all of them when several are equally good: upstream then takes any.
 * Mirrors: framework/preemption pickOneNodeForPreemption, Kubernetes 1.34 to 1.37.
 */
export function pickNode(cycle: Cycle, candidates: readonly Victims[]): readonly Victims[] {
  let left = candidates;
  for (const criterion of criteria) {
    if (left.length <= 1) return left;
    const rated = left.map((victims) => ({ victims, score: criterion(cycle, victims) }));
    const best = rated.reduce((most, { score }) => Math.max(most, score), Number.NEGATIVE_INFINITY);
    left = rated.filter(({ score }) => score === best).map(({ victims }) => victims);
  }
  return left;
}

/** When the first of the victims with the highest priority started. */
function earliestStart(cycle: Cycle, pods: Victims["pods"]): number {
  const highest = pods.reduce((most, pod) => Math.max(most, pod.template.priority), Number.NEGATIVE_INFINITY);
  return pods
    .filter((pod) => pod.template.priority === highest)
    .reduce((first, pod) => Math.min(first, startOf(cycle, pod)), Number.POSITIVE_INFINITY);
}
