import { budgetsOf } from "../../eviction/budgets-of.ts";
import type { BudgetView } from "../../model/view.ts";
import { findingRule, nameOf, namesOf } from "../finding-rule.ts";
import { heldTogether } from "../scene.ts";

/** The Eviction API serves no pod with more than one budget. Mirrors: the API server's eviction subresource, 1.36. */
export const twoBudgets = findingRule({
  name: "two-budgets",
  code: "HF004",
  title: "A pod under two budgets",
  explain: `Two PodDisruptionBudgets select the same pod. The Eviction API answers such a pod with an error (500, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."), not with "later": kubectl drain gives up on the node, other actors try for ever.

It happens when a broad budget (app.kubernetes.io/name) meets a narrow one, or when an operator's own budget is turned on beside one made by hand.

Narrow one selector, or delete one budget: a drain that waits tries again by itself, one that gave up has to be started again.

It is an error where a likely maintenance stalls on it through a part of the path, else a warning; also over what supports the path.`,
  messages: {
    both: (f: { part: string; pod: string; budgets: string }) => ({
      message: `${f.pod} of ${f.part} is selected by ${f.budgets}: no pod under more than one budget can be evicted, so every drain of its node fails.`,
      remedy: `Delete one of ${f.budgets}, or narrow its selector.`,
    }),
    broad: (f: { parts: string; budget: string }) => ({
      message: `Budget ${f.budget} selects pods of ${f.parts}, which have budgets of their own: no pod under more than one budget can be evicted, so every drain of their nodes fails.`,
      remedy: `Narrow the selector of budget ${f.budget}, or delete it.`,
    }),
  },
  look: ({ stops, helpers, view }, say) => {
    const clashes = [...stops, ...helpers].flatMap((stop) => {
      const pod = stop.pods.find((one) => budgetsOf(view, one).length > 1);
      return pod === undefined ? [] : [{ stop, pod, budgets: budgetsOf(view, pod) }];
    });
    const over = (budget: BudgetView): number => clashes.filter(({ budgets }) => budgets.includes(budget)).length;
    // One broad budget may clash with many: told once, of that.
    const byBroadest = Map.groupBy(clashes, ({ budgets }) => budgets.toSorted((a, b) => over(b) - over(a))[0]);
    return [...byBroadest].flatMap(([broadest, alike]) => {
      const [first, second] = alike;
      if (first === undefined || broadest === undefined) return [];
      const stops = alike.map(({ stop }) => stop);
      const { severity, lines } = heldTogether(stops);
      const budgets = [...new Set([broadest, ...alike.flatMap((clash) => clash.budgets)])].map(({ budget }) => budget);
      const about = {
        severity,
        evidence: budgets.map(({ ref }) => `budget ${ref.namespace}/${ref.name}`),
        source: budgets[0]?.source ?? null,
      };
      if (second === undefined) {
        const names = first.budgets.map(({ budget }) => budget.ref.name).join(" and ");
        return [say.of(first.stop, about, "both", { part: nameOf(first.stop), pod: first.pod.key, budgets: names })];
      }
      const facts = { parts: namesOf(stops), budget: broadest.budget.ref.name };
      return [say.ofAll(stops, { ...about, evidence: [...about.evidence, ...lines] }, "broad", facts)];
    });
  },
});
