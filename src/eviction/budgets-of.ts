import { underKey } from "../base/under-key.ts";
import { type LabelSelector, matches } from "../model/labels.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { BudgetView, ClusterView, PodCohort, PodView } from "../model/view.ts";

/**
 * The budgets whose selector takes the pod, in list order. An empty selector takes every pod of its namespace, a null
 * or invalid one takes none.
 * Mirrors: pkg/registry/core/pod/storage/eviction.go getPodDisruptionBudgets, 1.36.
 */
export function budgetsOf(
  { budgets }: Pick<ClusterView, "budgets">,
  pod: Pick<PodView, "namespace" | "template">,
): readonly BudgetView[] {
  const { namespace, template } = pod;
  const covering = (): readonly BudgetView[] =>
    budgetsIn(budgets, namespace).filter(({ budget }) => selects(budget.selector, template));
  // Labels and namespace are the template's, so that what holds for one of its pods holds for all of them.
  if (template.namespace !== namespace) return covering();
  const known = byTemplate.get(budgets) ?? underKey(byTemplate, budgets, () => new WeakMap());
  return known.get(template) ?? underKey(known, template, covering);
}

/** Asked at every change of a pod; a list of budgets is made anew when one comes or goes. */
const byTemplate = new WeakMap<readonly BudgetView[], WeakMap<PodTemplate, readonly BudgetView[]>>();

function budgetsIn(budgets: readonly BudgetView[], namespace: string): readonly BudgetView[] {
  const known = underKey(byNamespace, budgets, () => Map.groupBy(budgets, ({ budget }) => budget.ref.namespace));
  return known.get(namespace) ?? [];
}

const byNamespace = new WeakMap<readonly BudgetView[], ReadonlyMap<string, readonly BudgetView[]>>();

function selects(selector: LabelSelector | null, template: PodTemplate): boolean {
  return selector !== null && matches(selector, template.labels);
}

/** Whether this budget takes this pod. */
export function covers({ budget }: BudgetView, { namespace, template }: PodView): boolean {
  return budget.ref.namespace === namespace && selects(budget.selector, template);
}

/** The pods a budget takes, by template: finished and terminating ones too. */
export function cohortsOf(view: ClusterView, { budget }: BudgetView): readonly PodCohort[] {
  const { selector, ref } = budget;
  if (selector === null) return [];
  const all = view.cohortsIn(ref.namespace);
  const bySelector = underKey(covered, all, () => new WeakMap<LabelSelector, Covered>());
  const known = underKey(bySelector, selector, () => ({ read: 0, cohorts: [] }));
  for (; known.read < all.length; known.read += 1) {
    const cohort = all[known.read];
    if (cohort !== undefined && selects(selector, cohort.template)) known.cohorts.push(cohort);
  }
  return known.cohorts;
}

interface Covered {
  /** So many cohorts of the namespace have been asked. */
  read: number;
  readonly cohorts: PodCohort[];
}

/** Asked again whenever a pod of the namespace changes; which templates a selector takes never does. */
const covered = new WeakMap<readonly PodCohort[], WeakMap<LabelSelector, Covered>>();

/** The same pods in order of creation. */
export function podsOf(view: ClusterView, budget: BudgetView): readonly PodView[] {
  const lists = cohortsOf(view, budget).flatMap(({ size, pods }) => (size === 0 ? [] : [pods]));
  return lists.length < 2 ? (lists[0] ?? []) : lists.flat().sort((a, b) => a.uid - b.uid);
}
