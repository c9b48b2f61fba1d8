import { findingRule, nameOf } from "../finding-rule.ts";
import { budgetText } from "../knob-text.ts";
import { severityOf } from "../outcome.ts";

/** Several replicas, and nothing that keeps two drains from taking them together. */
export const noBudget = findingRule({
  name: "no-budget",
  code: "HF002",
  title: "Replicas on the request path without a budget",
  explain: `Two or more replicas, but no PodDisruptionBudget selects them. A drain asks nobody then: two nodes drained one after the other take both replicas, the second while the first one's replacement is still starting, and replicas on one node go together.

A budget with maxUnavailable 1 makes each drain wait until the replacement of the pod before it is Ready.

Leader-elected pickers are left out: a budget over standbys that are never Ready only holds drains (HF012). One replica is left out: a budget over it holds every drain for ever (HF003).

It is an error where a likely maintenance breaks the endpoint through this part.`,
  messages: {
    unguarded: (f: { part: string; replicas: number; remedy: string }) => ({
      message: `${f.part} has ${f.replicas} replicas and no budget: a drain may take the next one while the last is still starting.`,
      remedy: f.remedy,
    }),
  },
  look: ({ stops }, say) =>
    stops
      .filter(
        ({ hop, units, workload, budgets, pods }) =>
          hop.needed &&
          units > 1 &&
          pods.length > 0 &&
          budgets.length === 0 &&
          !hop.leaderElected &&
          workload?.kind !== "DaemonSet",
      )
      .map((stop) =>
        say.of(stop, { severity: severityOf(stop.shown, "note", "broke"), whatIf: true }, "unguarded", {
          part: nameOf(stop),
          replicas: stop.units,
          remedy: budgetText(stop.hop.knobs.budget),
        }),
      ),
});
