import type { Budget, BudgetStatus } from "../model/policy.ts";
import type { IntOrPercent } from "../model/workload.ts";

/** `minAvailable 1`, `maxUnavailable 25%`; a budget that states neither wants nothing. */
export function wantedText({ minAvailable, maxUnavailable }: Budget): string {
  if (minAvailable !== null) return `minAvailable ${amount(minAvailable)}`;
  return maxUnavailable === null ? "nothing" : `maxUnavailable ${amount(maxUnavailable)}`;
}

/** It asks the owners of its pods how many there should be; an integer minAvailable asks nobody. */
export function countsByScale({ minAvailable, maxUnavailable }: Budget): boolean {
  return maxUnavailable !== null || minAvailable?.percent === true;
}

/** A budget and its status as evidence. */
export function budgetLine(budget: Budget, status: BudgetStatus): string {
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = status;
  const counts = `expects ${expectedPods} pods, needs ${desiredHealthy} healthy, has ${currentHealthy}, allows ${disruptionsAllowed}`;
  return `budget ${budget.ref.namespace}/${budget.ref.name}, ${wantedText(budget)}: ${counts}`;
}

function amount({ percent, value }: IntOrPercent): string {
  return percent ? `${value}%` : `${value}`;
}
