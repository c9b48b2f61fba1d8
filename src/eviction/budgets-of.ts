import { type LabelSelector, matches } from "../model/labels.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { BudgetView, ClusterView, PodView } from "../model/view.ts";

/**
 * The budgets whose selector takes the pod, in list order. An empty selector takes every pod of its namespace, a null
 * or invalid one takes none.
 * Mirrors: pkg/registry/core/pod/storage/eviction.go getPodDisruptionBudgets, 1.36.
 */
export function budgetsOf({ budgets }: Pick<ClusterView, "budgets">, pod: PodView): readonly BudgetView[] {
  const { namespace, template } = pod;
  const covering = (): readonly BudgetView[] =>
    budgets.filter(({ budget }) => {
      if (budget.ref.namespace !== namespace || budget.selector === null) return false;
      return selects(budget.selector, template);
    });
  // Labels and namespace are the template's, so that what holds for one of its pods holds for all of them.
  if (template.namespace !== namespace) return covering();
  let known = byTemplate.get(budgets);
  if (known === undefined) {
    known = new WeakMap();
    byTemplate.set(budgets, known);
  }
  let found = known.get(template);
  if (found === undefined) {
    found = covering();
    known.set(template, found);
  }
  return found;
}

/** Asked at every change of a pod; a list of budgets is made anew when one comes or goes. */
const byTemplate = new WeakMap<readonly BudgetView[], WeakMap<PodTemplate, readonly BudgetView[]>>();

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
  const found: PodView[] = [];
  let templates = 0;
  for (const [template, pods] of view.podsByTemplateIn(budget.ref.namespace)) {
    if (pods.length === 0 || !selects(selector, template)) continue;
    templates += 1;
    for (const pod of pods) found.push(pod);
  }
  return templates < 2 ? found : found.sort((a, b) => a.uid - b.uid);
}
