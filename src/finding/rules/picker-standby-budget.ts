import { budgetStatus } from "../../eviction/budget-status.ts";
import { budgetLine } from "../../eviction/budget-text.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";

/** The two ways out of the seconds in which nobody leads. */
export const withoutHandover =
  "Run the pickers without --ha-enable-leader-election, under a budget of maxUnavailable 1; or allow for the handover: holdfast.dev/max-down: 15s.";

/** Standbys of leader-elected pickers are never Ready: to a budget they are missing pods. */
export const pickerStandbyBudget = findingRule({
  name: "picker-standby-budget",
  code: "HF012",
  title: "Leader-elected pickers",
  explain: `With --ha-enable-leader-election only the leader answers the readiness check; standbys stay unready on purpose. Two things follow.

A budget counts Ready pods, so of two pickers it sees one healthy: maxUnavailable 1 or minAvailable 1 leaves nothing to evict, and the drain of the leader's node waits for ever. The standby's node drains, because an unready pod may go while the budget is met. With three or more replicas and maxUnavailable 1 even that is refused. The protection of such a pair is the standby, not a budget: remove it.

When the leader is told to stop it gives its lease back, and the standby is Ready about 2 seconds later (about 15 when the node is lost). Until then nobody picks, and an endpoint that needs its picker answers nothing. That is an outage unless the endpoint allows for it: holdfast.dev/max-down: 15s.

Or run the pickers without leader election, all of them active, under a budget of maxUnavailable 1.

The budget is an error where a likely maintenance stalls on it, else a warning. The handover is an error where it breaks the endpoint, and else not told.`,
  messages: {
    handover: (f: { part: string }) => ({
      message: `${f.part} elects a leader: when the leader's node is drained nobody picks until the standby has taken over, about 2 s, and 15 when the node is lost.`,
      remedy: withoutHandover,
    }),
    leaderHeld: (f: { budget: string; part: string; healthy: number; needed: number }) => ({
      message: `Budget ${f.budget} needs ${f.needed} Ready ${f.needed === 1 ? "pod" : "pods"} of ${f.part}, and standbys are never Ready: it has ${f.healthy}, so the leader's node cannot be drained.`,
      remedy: `Delete budget ${f.budget}: the standby is the protection. Or run the pickers without --ha-enable-leader-election.`,
    }),
  },
  look: ({ stops, view }, say) =>
    stops
      .filter(({ hop }) => hop.leaderElected)
      .flatMap((stop) => {
        const { budgets, units, shown } = stop;
        const part = nameOf(stop);
        const breaks = units > 1 && shown.broke.length > 0;
        return [
          ...(breaks ? [say.of(stop, { severity: "error" }, "handover", { part })] : []),
          ...budgets.flatMap((budget) => {
            const status = budgetStatus(view, budget);
            if (status.expectedPods === 0 || status.disruptionsAllowed > 0) return [];
            const about = {
              severity: severityOf(shown, "warning", "stalled"),
              evidence: [budgetLine(budget.budget, status)],
              source: budget.budget.source,
            };
            const { currentHealthy: healthy, desiredHealthy: needed } = status;
            return [say.of(stop, about, "leaderHeld", { budget: budget.budget.ref.name, part, healthy, needed })];
          }),
        ];
      }),
});
