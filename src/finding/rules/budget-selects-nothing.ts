import { matches } from "../../model/labels.ts";
import type { Budget } from "../../model/policy.ts";
import { findingRule } from "../finding-rule.ts";
import type { Scene } from "../scene.ts";

/** A budget that guards no pod, in a namespace where the path has some. */
export const budgetSelectsNothing = findingRule({
  name: "budget-selects-nothing",
  code: "HF005",
  title: "A budget that selects nothing",
  explain: `The budget's selector matches no pod of its namespace and no pod that a workload there would make. It looks like protection and is none; kubectl get pdb shows 0 expected pods.

KServe is the usual place: its predictors carry app=isvc.NAME-predictor, not isvc.NAME, and pods of an LLMInferenceService carry no serving.kserve.io/inferenceservice at all.

It is an error where a part of the path in that namespace has no other budget and a likely maintenance breaks through it.`,
  messages: {
    nothing: (f: { budget: string; selector: string; instead: string }) => ({
      message: `Budget ${f.budget} selects ${f.selector}, which is on no pod: it guards nothing.`,
      remedy:
        f.instead === ""
          ? `Correct its selector, or delete it.`
          : `Correct its selector to what the pods carry: ${f.instead}.`,
    }),
  },
  look: (scene, say) =>
    scene.view.budgets
      .map(({ budget }) => budget)
      .filter((budget) => nearPath(scene, budget) && selectsNothing(scene, budget))
      .map((budget) => {
        const bare = scene.stops.filter(
          ({ hop, budgets, shown }) =>
            hop.ref.namespace === budget.ref.namespace && budgets.length === 0 && shown.broke.length > 0,
        );
        const about = {
          severity: bare.length > 0 ? ("error" as const) : ("warning" as const),
          endpoint: "",
          component: `PodDisruptionBudget ${budget.ref.namespace}/${budget.ref.name}`,
          evidence: bare.map(({ hop }) => `no budget selects ${hop.ref.kind} ${hop.ref.namespace}/${hop.ref.name}`),
          source: budget.source,
        };
        const facts = { budget: budget.ref.name, selector: selectorText(budget), instead: insteadOf(scene, budget) };
        return say.about(about, "nothing", facts);
      }),
});

function nearPath({ stops }: Scene, { ref }: Budget): boolean {
  return stops.some(({ hop }) => hop.ref.namespace === ref.namespace);
}

function selectsNothing({ view }: Scene, { ref, selector }: Budget): boolean {
  if (selector === null || selector.invalid) return true;
  if (view.podsIn(ref.namespace).some((pod) => matches(selector, pod.template.labels))) return false;
  return ![...view.workloads].some(({ spec }) => {
    if (spec.ref.namespace !== ref.namespace || spec.kind === "Other") return false;
    const templates = spec.kind === "LeaderWorkerSet" ? [spec.leaderTemplate, spec.workerTemplate] : [spec.template];
    return templates.some(({ labels }) => matches(selector, labels));
  });
}

function selectorText({ selector }: Budget): string {
  if (selector === null) return "nothing";
  return selector.requirements
    .map(({ key, operator, values }) =>
      operator === "In" && values.length === 1 ? `${key}=${values[0]}` : `${key} ${operator} ${values.join(",")}`,
    )
    .join(", ");
}

/** A label of an unguarded part under a key the selector uses. */
function insteadOf({ stops }: Scene, { ref, selector }: Budget): string {
  for (const { key } of selector?.requirements ?? []) {
    for (const { hop, budgets, template } of stops) {
      const value = template?.labels.get(key);
      if (hop.ref.namespace === ref.namespace && budgets.length === 0 && value !== undefined) return `${key}=${value}`;
    }
  }
  return "";
}
