import { endToEnd } from "../base/end-to-end.ts";
import { listed } from "../base/listed.ts";
import { none } from "../base/none.ts";
import { underKey } from "../base/under-key.ts";
import { LabelIndex, namedLabel } from "../model/label-index.ts";
import { Labelled } from "../model/labelled.ts";
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
    underKey(indexes, budgets, indexOf)
      .near(namespace, template)
      .filter(({ budget }) => selects(budget.selector, template));
  // Labels and namespace are the template's, so that what holds for one of its pods holds for all of them.
  if (template.namespace !== namespace) return covering();
  const known = byTemplate.get(budgets) ?? underKey(byTemplate, budgets, () => new WeakMap());
  return known.get(template) ?? underKey(known, template, covering);
}

/** Asked at every change of a pod; a list of budgets is made anew when one comes or goes. */
const byTemplate = new WeakMap<readonly BudgetView[], WeakMap<PodTemplate, readonly BudgetView[]>>();

interface BudgetIndex {
  /** Those that may take pods of a template, in list order. */
  near(namespace: string, template: PodTemplate): readonly BudgetView[];
}

function indexOf(budgets: readonly BudgetView[]): BudgetIndex {
  const labelled = new LabelIndex<number>();
  const others = new Map<string, number[]>();
  for (const [number, { budget }] of budgets.entries()) {
    const { selector, ref } = budget;
    if (selector === null) continue;
    const label = namedLabel(selector);
    if (label === null) listed(others, ref.namespace, number);
    else labelled.add(ref.namespace, label.key, label.value, number);
  }
  return {
    near(namespace, { labels }) {
      const numbers = endToEnd(others.get(namespace) ?? none, labelled.about(namespace, labels));
      return numbers.toSorted((a, b) => a - b).flatMap((number) => budgets[number] ?? []);
    },
  };
}

const indexes = new WeakMap<readonly BudgetView[], BudgetIndex>();

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
  const among = underKey(cohortIndexes, all, cohortIndex);
  const known = underKey(among.covered, selector, () => ({ asked: 0, near: 0, cohorts: [] }));
  if (known.asked === all.length) return known.cohorts;
  for (const cohort of all.slice(among.read)) among.labelled.add(cohort);
  among.read = all.length;
  const near = among.labelled.near(selector);
  for (const cohort of near.slice(known.near)) if (selects(selector, cohort.template)) known.cohorts.push(cohort);
  known.asked = all.length;
  known.near = near.length;
  return known.cohorts;
}

interface CohortIndex {
  /** So many cohorts of the namespace are among these. */
  read: number;
  readonly labelled: Labelled<PodCohort>;
  readonly covered: WeakMap<LabelSelector, Covered>;
}

interface Covered {
  /** There were so many when this was asked last. */
  asked: number;
  /** Of which so many were looked at. */
  near: number;
  readonly cohorts: PodCohort[];
}

function cohortIndex(): CohortIndex {
  return { read: 0, labelled: new Labelled(({ template }) => [template.labels]), covered: new WeakMap() };
}

/** Asked again whenever a pod of the namespace changes; which templates a selector takes never does. */
const cohortIndexes = new WeakMap<readonly PodCohort[], CohortIndex>();

/** The same pods in order of creation. */
export function podsOf(view: ClusterView, budget: BudgetView): readonly PodView[] {
  const lists = cohortsOf(view, budget).flatMap(({ size, pods }) => (size === 0 ? [] : [pods]));
  return lists.length < 2 ? (lists[0] ?? []) : lists.flat().sort((a, b) => a.uid - b.uid);
}
