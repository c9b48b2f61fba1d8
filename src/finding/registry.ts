import { byCodeUnit } from "../base/ordering.ts";
import type { Finding, Severity } from "./finding.ts";
import type { FindingRule } from "./finding-rule.ts";
import { annotationHolds } from "./rules/annotation-holds.ts";
import { autoscalerFloor } from "./rules/autoscaler-floor.ts";
import { budgetLetsTooMany } from "./rules/budget-lets-too-many.ts";
import { budgetNeverAllows } from "./rules/budget-never-allows.ts";
import { budgetSelectsNothing } from "./rules/budget-selects-nothing.ts";
import { budgetTooWide } from "./rules/budget-too-wide.ts";
import { budgetWillBeDeleted } from "./rules/budget-will-be-deleted.ts";
import { budgetWithoutScale } from "./rules/budget-without-scale.ts";
import { daemonSetGoesAlong } from "./rules/daemon-set-goes-along.ts";
import { drainRefused } from "./rules/drain-refused.ts";
import { evictionRefused } from "./rules/eviction-refused.ts";
import { failOpenIgnored } from "./rules/fail-open-ignored.ts";
import { fixReverted } from "./rules/fix-reverted.ts";
import { graceBeyondDrain } from "./rules/grace-beyond-drain.ts";
import { groupBudget } from "./rules/group-budget.ts";
import { limitRangeRefuses } from "./rules/limit-range-refuses.ts";
import { localData } from "./rules/local-data.ts";
import { lostNode } from "./rules/lost-node.ts";
import { noBudget } from "./rules/no-budget.ts";
import { noRoomForReplicas } from "./rules/no-room-for-replicas.ts";
import { noSpareAccelerator } from "./rules/no-spare-accelerator.ts";
import { pickerRecreate } from "./rules/picker-recreate.ts";
import { pickerStandbyBudget } from "./rules/picker-standby-budget.ts";
import { preemptable } from "./rules/preemptable.ts";
import { proxyDrainTimeout } from "./rules/proxy-drain-timeout.ts";
import { quotaForbidsSurge } from "./rules/quota-forbids-surge.ts";
import { rolloutCannotFinish } from "./rules/rollout-cannot-finish.ts";
import { routeBringsNothing } from "./rules/route-brings-nothing.ts";
import { sameNode } from "./rules/same-node.ts";
import { sameZone } from "./rules/same-zone.ts";
import { scaledToZero } from "./rules/scaled-to-zero.ts";
import { shortGrace } from "./rules/short-grace.ts";
import { singleReplica } from "./rules/single-replica.ts";
import { smallPool } from "./rules/small-pool.ts";
import { spreadDoesNotSpread } from "./rules/spread-does-not-spread.ts";
import { twoBudgets } from "./rules/two-budgets.ts";
import { volumePins } from "./rules/volume-pins.ts";
import { webhookSingle } from "./rules/webhook-single.ts";
import { type FindingInput, sceneOf } from "./scene.ts";

/** By code. A code, once given, stays with its rule; a new rule takes the next number. The order decides nothing else. */
export const findingRules: readonly FindingRule[] = [
  singleReplica,
  noBudget,
  budgetNeverAllows,
  twoBudgets,
  budgetSelectsNothing,
  budgetTooWide,
  budgetWithoutScale,
  sameNode,
  sameZone,
  spreadDoesNotSpread,
  rolloutCannotFinish,
  pickerStandbyBudget,
  noRoomForReplicas,
  smallPool,
  pickerRecreate,
  failOpenIgnored,
  webhookSingle,
  groupBudget,
  autoscalerFloor,
  scaledToZero,
  quotaForbidsSurge,
  noSpareAccelerator,
  shortGrace,
  graceBeyondDrain,
  volumePins,
  drainRefused,
  preemptable,
  budgetWillBeDeleted,
  localData,
  fixReverted,
  proxyDrainTimeout,
  limitRangeRefuses,
  budgetLetsTooMany,
  daemonSetGoesAlong,
  annotationHolds,
  routeBringsNothing,
  evictionRefused,
  lostNode,
];

const ranks: { readonly [severity in Severity]: number } = { error: 0, warning: 1, note: 2 };

/** Everything worth telling, worst first; then by code, endpoint and component. */
export function findingsOf(input: FindingInput): readonly Finding[] {
  const scene = sceneOf(input);
  const told = findingRules.filter((rule) => rule !== smallPool).flatMap((rule) => rule.look(scene));
  // What a pool is the cause of is what nothing else explains.
  return [...told, ...smallPool.look({ ...scene, told })].sort(
    (a, b) =>
      ranks[a.severity] - ranks[b.severity] ||
      byCodeUnit(a.code, b.code) ||
      byCodeUnit(a.endpoint, b.endpoint) ||
      byCodeUnit(a.component, b.component) ||
      byCodeUnit(a.message, b.message),
  );
}

/** By name or code, as `holdfast explain` takes it. */
export function findingRuleNamed(name: string): FindingRule | undefined {
  return findingRules.find((rule) => rule.name === name || rule.code === name.toUpperCase());
}
