import { budgetStatus } from "../../eviction/budget-status.ts";
import { budgetLine, wantedText } from "../../eviction/budget-text.ts";
import { podsOf as budgetPods } from "../../eviction/budgets-of.ts";
import type { BudgetView } from "../../model/view.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";
import type { Scene, Stop } from "../scene.ts";

const groupIndex = "leaderworkerset.sigs.k8s.io/group-index";

/**
 * Budgets count pods; a group is lost with its first pod. What each form allows was seen on a running LeaderWorkerSet
 * controller (v0.10): only one budget over the whole set with maxUnavailable 1 held in every order.
 */
export const groupBudget = findingRule({
  name: "group-budget",
  code: "HF018",
  title: "A budget that counts the pods of groups",
  explain: `A group (LeaderWorkerSet) lives and dies as one: when one of its pods is evicted the controller deletes the others, past every budget. A budget counts pods, so:

one over the set with minAvailable below all pods but one, or a percentage, allows a second eviction in another group while the first is gone: both groups end;

one per group with maxUnavailable 1 never allows anything, because the pods it expects are the sum of all owners' scales, the set's own included;

one over the leaders only does not see workers, whose eviction ends the group just the same.

Use one budget over the whole set (leaderworkerset.sigs.k8s.io/name), maxUnavailable 1.

It is an error where a likely maintenance breaks or stalls on it, else a warning.`,
  messages: {
    countsPods: (f: { budget: string; wanted: string; allowed: number; part: string; set: string }) => ({
      message: `Budget ${f.budget} (${f.wanted}) allows ${f.allowed} evictions over ${f.part}: two of them, in different groups, end both groups.`,
      remedy: `Write maxUnavailable 1 in budget ${f.budget}, over all pods of the set: leaderworkerset.sigs.k8s.io/name=${f.set}.`,
    }),
    perGroup: (f: { budget: string; part: string; set: string }) => ({
      message: `Budget ${f.budget} selects one group of ${f.part}: it expects the pods of the whole set's scale as well, and counts pods where a group is lost with its first.`,
      remedy: `Replace it by one budget over the set, maxUnavailable 1: leaderworkerset.sigs.k8s.io/name=${f.set}.`,
    }),
    leadersOnly: (f: { budget: string; part: string; set: string }) => ({
      message: `Budget ${f.budget} selects only the leaders of ${f.part}: evicting a worker is not asked of it and ends the group just the same.`,
      remedy: `Select all pods of the set: leaderworkerset.sigs.k8s.io/name=${f.set}, maxUnavailable 1.`,
    }),
  },
  look: (scene, say) =>
    scene.stops
      .filter(({ hop: { unit }, units }) => unit.kind === "group" && unit.groupLabel === groupIndex && units > 1)
      .flatMap((stop) =>
        stop.budgets.flatMap((budget) => {
          const status = budgetStatus(scene.view, budget);
          const id = trapOf(scene, stop, budget, status.expectedPods - status.desiredHealthy);
          if (id === null) return [];
          const about = {
            severity: severityOf(stop.shown, "warning", "either"),
            evidence: [budgetLine(budget.budget, status)],
            source: budget.budget.source,
          };
          const facts = {
            budget: budget.budget.ref.name,
            wanted: wantedText(budget.budget),
            allowed: status.expectedPods - status.desiredHealthy,
            part: nameOf(stop),
            set: stop.hop.ref.name,
          };
          return [say.of(stop, about, id, facts)];
        }),
      ),
});

function trapOf(
  { view }: Scene,
  stop: Stop,
  budget: BudgetView,
  allowed: number,
): "countsPods" | "perGroup" | "leadersOnly" | null {
  const keys = budget.budget.selector?.requirements.map(({ key }) => key) ?? [];
  if (keys.includes(groupIndex)) return "perGroup";
  const covered = new Set(budgetPods(view, budget));
  const left = stop.pods.filter((pod) => !covered.has(pod));
  const isLeader = (pod: Stop["pods"][number]): boolean =>
    pod.template.labels.get("leaderworkerset.sigs.k8s.io/worker-index") === "0";
  if (left.length > 0 && left.every((pod) => !isLeader(pod))) return "leadersOnly";
  return allowed > 1 ? "countsPods" : null;
}
