import { scaledValue } from "./int-or-percent.ts";
import type { Budget } from "./policy.ts";

/** How many of so many pods a budget keeps. maxUnavailable comes first, as upstream asks for it first; a budget with neither wants none. */
export function healthyNeeded(
  { maxUnavailable, minAvailable }: Pick<Budget, "maxUnavailable" | "minAvailable">,
  pods: number,
): number {
  if (maxUnavailable !== null) return Math.max(0, pods - scaledValue(maxUnavailable, pods, "up"));
  return minAvailable === null ? 0 : scaledValue(minAvailable, pods, "up");
}
