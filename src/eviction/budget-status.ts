import type { SimMs } from "../base/units.ts";
import { healthyNeeded } from "../model/healthy-needed.ts";
import type { PodKey } from "../model/key.ts";
import type { BudgetStatus } from "../model/policy.ts";
import type { BudgetView, ClusterView, PodCohort, PodView } from "../model/view.ts";
import { countsByScale } from "./budget-text.ts";
import { cohortsOf, covers } from "./budgets-of.ts";
import { expectedScale } from "./expected-scale.ts";

/** How long an accepted eviction is believed before the pod counts as healthy again, ms. */
export const disruptionTimeoutMs = 120_000;

/** What one sync of the disruption controller writes. */
export interface BudgetSync {
  readonly status: BudgetStatus;
  /** Accepted evictions still believed: entries of pods that are gone, terminating or overdue are dropped. */
  readonly disruptedPods: ReadonlyMap<PodKey, SimMs>;
  /** Sync again then: an entry expires. null: nothing waits. */
  readonly recheckAtMs: SimMs | null;
}

/** The status of a budget no controller has looked at yet. */
export const unsyncedStatus: BudgetStatus = {
  expectedPods: 0,
  desiredHealthy: 0,
  currentHealthy: 0,
  disruptionsAllowed: 0,
  observedGeneration: 0,
  reason: "",
  conditionStatus: "",
  message: "",
};

/** The status alone: see budgetSync. */
export function budgetStatus(view: ClusterView, budgetView: BudgetView): BudgetStatus {
  return budgetSync(view, budgetView).status;
}

/**
 * The disruption controller's arithmetic. A sync that fails keeps the old counts and the old observedGeneration, allows
 * nothing, and says why in the condition.
 * Mirrors: pkg/controller/disruption/disruption.go trySync, failSafe, updatePdbStatus, 1.34 to 1.37 (no difference).
 */
export function budgetSync(view: ClusterView, budgetView: BudgetView): BudgetSync {
  const { budget, status: old } = budgetView;
  const cohorts = cohortsOf(view, budgetView);
  if (budget.selector?.invalid === true) return failed(budgetView, "invalid label selector");
  const counts = expectedPods(view, budgetView, cohorts);
  if (!counts.ok) return failed(budgetView, counts.message);

  const { disruptedPods, recheckAtMs, healthy } = believedDisruptions(view, budgetView);
  const currentHealthy = sum(cohorts, (cohort) => cohort.healthy) - healthy;
  const spare = currentHealthy - counts.desiredHealthy;
  const disruptionsAllowed = counts.expectedPods <= 0 || spare <= 0 ? 0 : spare;
  const status: BudgetStatus = {
    expectedPods: counts.expectedPods,
    desiredHealthy: counts.desiredHealthy,
    currentHealthy,
    disruptionsAllowed,
    observedGeneration: generationOf(budgetView),
    ...condition(disruptionsAllowed),
  };
  return { status: sameStatus(status, old) ? old : status, disruptedPods, recheckAtMs };
}

/** What an accepted eviction does to the status before the controller looks again. */
export function afterEviction(status: BudgetStatus): BudgetStatus {
  const disruptionsAllowed = status.disruptionsAllowed - 1;
  return disruptionsAllowed === 0
    ? { ...status, disruptionsAllowed, ...condition(disruptionsAllowed) }
    : { ...status, disruptionsAllowed };
}

/** metadata.generation; a budget whose input states none counts as written once. */
export function generationOf({ budget }: BudgetView): number {
  return Math.max(1, budget.generation);
}

type Counts =
  | { readonly ok: true; readonly expectedPods: number; readonly desiredHealthy: number }
  | { readonly ok: false; readonly message: string };

function expectedPods(view: ClusterView, budgetView: BudgetView, cohorts: readonly PodCohort[]): Counts {
  if (countsByScale(budgetView.budget)) {
    const scale = expectedScale(view, budgetView, cohorts);
    if (!scale.ok) return scale;
    const { replicas } = scale;
    return { ok: true, expectedPods: replicas, desiredHealthy: healthyNeeded(budgetView.budget, replicas) };
  }
  const expected = budgetView.budget.minAvailable === null ? 0 : sum(cohorts, ({ size }) => size);
  return { ok: true, expectedPods: expected, desiredHealthy: healthyNeeded(budgetView.budget, expected) };
}

function sum(cohorts: readonly PodCohort[], count: (cohort: PodCohort) => number): number {
  return cohorts.reduce((total, cohort) => total + count(cohort), 0);
}

/** `healthy`: how many of them would count as such. */
function believedDisruptions(
  view: ClusterView,
  budgetView: BudgetView,
): Omit<BudgetSync, "status"> & { readonly healthy: number } {
  const known = budgetView.disruptedPods;
  if (known.size === 0) return { disruptedPods: known, recheckAtMs: null, healthy: 0 };
  const believed: PodView[] = [];
  let recheckAtMs: SimMs | null = null;
  for (const [key, since] of known) {
    const pod = view.pod(key);
    if (pod === undefined || !covers(budgetView, pod) || pod.terminatingSinceMs !== null) continue;
    const expiresAtMs = since + disruptionTimeoutMs;
    if (expiresAtMs <= view.nowMs) continue;
    believed.push(pod);
    if (recheckAtMs === null || expiresAtMs < recheckAtMs) recheckAtMs = expiresAtMs;
  }
  believed.sort((a, b) => a.uid - b.uid);
  const disruptedPods = new Map(believed.map(({ key }) => [key, known.get(key) ?? 0]));
  return { disruptedPods, recheckAtMs, healthy: believed.filter(({ ready }) => ready).length };
}

function condition(disruptionsAllowed: number): Pick<BudgetStatus, "reason" | "conditionStatus" | "message"> {
  return disruptionsAllowed > 0
    ? { reason: "SufficientPods", conditionStatus: "True", message: "" }
    : { reason: "InsufficientPods", conditionStatus: "False", message: "" };
}

/** Disrupted pods stay as they were: a failed sync writes only the condition and the zero. */
function failed({ status: old, disruptedPods }: BudgetView, message: string): BudgetSync {
  const status = { ...old, disruptionsAllowed: 0, reason: "SyncFailed", conditionStatus: "False", message };
  return { status: sameStatus(status, old) ? old : status, disruptedPods, recheckAtMs: null };
}

function sameStatus(a: BudgetStatus, b: BudgetStatus): boolean {
  return (
    a.expectedPods === b.expectedPods &&
    a.desiredHealthy === b.desiredHealthy &&
    a.currentHealthy === b.currentHealthy &&
    a.disruptionsAllowed === b.disruptionsAllowed &&
    a.observedGeneration === b.observedGeneration &&
    a.reason === b.reason &&
    a.conditionStatus === b.conditionStatus &&
    a.message === b.message
  );
}
