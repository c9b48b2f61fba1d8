import { budgetsOf } from "../../eviction/budgets-of.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";
import { isHelper } from "../scene.ts";

/** The Eviction API serves no pod with more than one budget. Mirrors: the API server's eviction subresource, 1.36. */
export const twoBudgets = findingRule({
  name: "two-budgets",
  code: "HF004",
  title: "A pod under two budgets",
  explain: `Two PodDisruptionBudgets select the same pod. The Eviction API answers such a pod with an error (500, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."), not with "later": kubectl drain gives up on the node, other actors try for ever.

It happens when a broad budget (app.kubernetes.io/name) meets a narrow one, or when an operator's own budget is turned on beside one made by hand.

Narrow one selector, or delete one budget.

It is an error where a likely maintenance stalls on it through a part of the path, else a warning; also over what supports the path.`,
  messages: {
    both: (f: { part: string; pod: string; budgets: string }) => ({
      message: `${f.pod} of ${f.part} is selected by ${f.budgets}: no pod under more than one budget can be evicted, so every drain of its node fails.`,
      remedy: `Delete one of ${f.budgets}, or narrow its selector.`,
    }),
  },
  look: ({ stops, helpers, view }, say) =>
    [...stops, ...helpers].flatMap((stop) => {
      const pod = stop.pods.find((one) => budgetsOf(view, one).length > 1);
      if (pod === undefined) return [];
      const budgets = budgetsOf(view, pod).map(({ budget }) => budget);
      const about = {
        severity: isHelper(stop) ? ("warning" as const) : severityOf(stop.shown, "warning", "stalled"),
        evidence: budgets.map(({ ref }) => `budget ${ref.namespace}/${ref.name}`),
        source: budgets[0]?.source ?? null,
      };
      const names = budgets.map(({ ref }) => ref.name).join(" and ");
      return [say.of(stop, about, "both", { part: nameOf(stop), pod: pod.key, budgets: names })];
    }),
});
