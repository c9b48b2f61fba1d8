import { budgetStatus } from "../../eviction/budget-status.ts";
import { budgetLine } from "../../eviction/budget-text.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";

/** Standbys of leader-elected pickers are never Ready: to a budget they are missing pods. */
export const pickerStandbyBudget = findingRule({
  name: "picker-standby-budget",
  code: "HF012",
  title: "A budget over leader-elected pickers",
  explain: `With --ha-enable-leader-election only the leader answers the readiness check; standbys stay unready on purpose. A budget counts Ready pods, so of two pickers it sees one healthy: maxUnavailable 1 or minAvailable 1 leaves nothing to evict, and the drain of the leader's node waits for ever. The standby's node drains, because an unready pod may go while the budget is met. With three or more replicas and maxUnavailable 1 even that is refused.

The protection of such a pair is the standby: when the leader is told to stop it gives its lease back, and the standby is Ready about 2 seconds later (about 15 when the node is lost).

Remove the budget; or run the pickers without leader election, all of them active, and keep it.

It is an error where a likely maintenance stalls on it.`,
  messages: {
    leaderHeld: (f: { budget: string; part: string; healthy: number; needed: number }) => ({
      message: `Budget ${f.budget} needs ${f.needed} Ready ${f.needed === 1 ? "pod" : "pods"} of ${f.part}, and standbys are never Ready: it has ${f.healthy}, so the leader's node cannot be drained.`,
      remedy: `Delete budget ${f.budget}: the standby is the protection. Or run the pickers without --ha-enable-leader-election.`,
    }),
  },
  look: ({ stops, view }, say) =>
    stops
      .filter(({ hop }) => hop.leaderElected)
      .flatMap((stop) =>
        stop.budgets.flatMap((budget) => {
          const status = budgetStatus(view, budget);
          if (status.expectedPods === 0 || status.disruptionsAllowed > 0) return [];
          const facts = {
            budget: budget.budget.ref.name,
            part: nameOf(stop),
            healthy: status.currentHealthy,
            needed: status.desiredHealthy,
          };
          const about = {
            severity: severityOf(stop.shown, "warning", "stalled"),
            evidence: [budgetLine(budget.budget, status)],
            source: budget.budget.source,
          };
          return [say.of(stop, about, "leaderHeld", facts)];
        }),
      ),
});
