import { type LabelSelector, matches } from "../model/labels.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { BudgetView, ClusterView, PodView } from "../model/view.ts";

/**
 * The budgets whose selector takes the pod, in list order. An empty selector takes every pod of its namespace, a null
 * or invalid one takes none.
 * Mirrors: pkg/registry/core/pod/storage/eviction.go getPodDisruptionBudgets, 1.36.
 */
export function budgetsOf(view: ClusterView, pod: PodView): readonly BudgetView[] {
  return view.budgets.filter(({ budget }) => {
    if (budget.ref.namespace !== pod.namespace || budget.selector === null) return false;
    return selects(budget.selector, pod.template);
  });
}

/** Asked again whenever a pod of the namespace changes; neither of the two ever does. */
const answers = new WeakMap<LabelSelector, WeakMap<PodTemplate, boolean>>();

function selects(selector: LabelSelector, template: PodTemplate): boolean {
  let known = answers.get(selector);
  if (known === undefined) {
    known = new WeakMap();
    answers.set(selector, known);
  }
  let answer = known.get(template);
  if (answer === undefined) {
    answer = matches(selector, template.labels);
    known.set(template, answer);
  }
  return answer;
}

/** The pods a budget takes, in order of creation: finished and terminating ones too. */
export function podsOf(view: ClusterView, { budget }: BudgetView): readonly PodView[] {
  const { selector } = budget;
  if (selector === null) return [];
  return view.podsIn(budget.ref.namespace).filter((pod) => selects(selector, pod.template));
}
