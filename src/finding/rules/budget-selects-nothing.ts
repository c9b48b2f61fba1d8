import type { Budget } from "../../model/policy.ts";
import { findingRule, labelOf, nameOf } from "../finding-rule.ts";
import { lostBudgets } from "../lost-budgets.ts";
import { breaksLines, severityOf } from "../outcome.ts";
import type { Stop } from "../scene.ts";

/** A budget that guards no pod, in a namespace where the path has some. */
export const budgetSelectsNothing = findingRule({
  name: "budget-selects-nothing",
  code: "HF005",
  title: "A budget that selects nothing",
  explain: `The budget's selector matches no pod of its namespace and no pod that a workload there would make. It looks like protection and is none; kubectl get pdb shows 0 expected pods.

KServe is the usual place: its predictors carry app=isvc.NAME-predictor, not isvc.NAME, and pods of an LLMInferenceService carry no serving.kserve.io/inferenceservice at all.

Correct the selector to what the pods carry (kubectl get pods --show-labels), or delete a budget that was left behind.

A part in that namespace without any budget, most alike in name, is taken to be the one that was meant; HF002 says nothing of it then.

It is an error where a likely maintenance breaks the endpoint through that part, else a warning.`,
  messages: {
    nothing: (f: { budget: string; selector: string; old: boolean; part: string; instead: string }) => ({
      message: `Budget ${f.budget} ${f.selector === "" ? (f.old ? "has an empty selector, which in policy/v1beta1 takes no pod" : "has no selector") : `selects ${f.selector}, which is on no pod`}: it guards nothing${f.part === "" ? "" : `, and ${f.part} has no other budget`}.`,
      remedy:
        f.instead === ""
          ? `Correct its selector, or delete it.`
          : `${f.selector === "" ? "Give it a selector of" : "Correct its selector to"} what the pods of ${f.part} carry: ${f.instead}.`,
    }),
  },
  look: (scene, say) =>
    lostBudgets(scene).map(({ budget, meantFor }) => {
      const about = {
        severity: meantFor === null ? ("warning" as const) : severityOf(meantFor.shown, "warning", "broke"),
        endpoint: "",
        component: `PodDisruptionBudget ${budget.ref.namespace}/${budget.ref.name}`,
        evidence: meantFor === null ? [] : [`no budget selects ${labelOf(meantFor)}`, ...breaksLines(meantFor.shown)],
        source: budget.source,
      };
      const instead = meantFor === null ? "" : labelsText(meantFor, budget);
      const part = meantFor === null ? "" : nameOf(meantFor);
      const old = budget.ref.apiVersion === "policy/v1beta1";
      return say.about(about, "nothing", {
        budget: budget.ref.name,
        selector: selectorText(budget),
        old,
        part,
        instead,
      });
    }),
});

function selectorText({ selector }: Budget): string {
  if (selector === null) return "";
  return selector.requirements
    .map(({ key, operator, values }) =>
      operator === "In" && values.length === 1 ? `${key}=${values[0]}` : `${key} ${operator} ${values.join(",")}`,
    )
    .join(", ");
}

/** What the part's pods carry under the selector's own keys; where they carry none, what their owner selects them by. */
function labelsText({ template, workload }: Stop, { selector }: Budget): string {
  const labels = template?.labels ?? new Map<string, string>();
  const own = selector?.requirements.map(({ key }) => key) ?? [];
  const others =
    workload !== null && "selector" in workload ? workload.selector.requirements.map(({ key }) => key) : [];
  const carried = (keys: readonly string[]): readonly string[] =>
    keys.flatMap((key) => {
      const value = labels.get(key);
      return value === undefined ? [] : [`${key}=${value}`];
    });
  const same = carried(own);
  return (same.length > 0 ? same : carried(others)).join(", ");
}
