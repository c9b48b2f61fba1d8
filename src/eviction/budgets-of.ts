import { matches } from "../model/labels.ts";
import type { BudgetView, ClusterView, PodView } from "../model/view.ts";

/**
 * The budgets whose selector takes the pod, in list order. An empty selector takes every pod of its namespace, a null
 * or invalid one takes none.
 * Mirrors: pkg/registry/core/pod/storage/eviction.go getPodDisruptionBudgets, 1.36.
 */
export function budgetsOf(view: ClusterView, pod: PodView): readonly BudgetView[] {
  return view.budgets.filter(({ budget }) => {
    if (budget.ref.namespace !== pod.namespace || budget.selector === null) return false;
    return matches(budget.selector, pod.template.labels);
  });
}

/** The pods a budget takes, in order of creation: finished and terminating ones too. */
export function podsOf(view: ClusterView, { budget }: BudgetView): readonly PodView[] {
  const { selector } = budget;
  if (selector === null) return [];
  return view.podsIn(budget.ref.namespace).filter((pod) => matches(selector, pod.template.labels));
}
