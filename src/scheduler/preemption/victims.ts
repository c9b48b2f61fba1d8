import { underKey } from "../../base/under-key.ts";
import type { PodKey } from "../../model/key.ts";
import { matches } from "../../model/labels.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { BudgetView, NodeView, PodView } from "../../model/view.ts";
import {
  type Cycle,
  type FilterRun,
  filterWithNominatedPods,
  NodeOverlay,
  type Rejection,
  rejectForGood,
} from "../framework.ts";

/** Pods that would have to go from one node, most important first. */
export interface Victims {
  readonly node: string;
  readonly pods: readonly PodView[];
  readonly budgetViolations: number;
  /**
   * Of pods of different owners with one priority, started within one second, some stay: which ones is a matter of the order in
   * which they came to the node, which no input tells.
   */
  readonly drawn: boolean;
}

export type Selection =
  | { readonly found: "victims"; readonly victims: Victims }
  | { readonly found: "none"; readonly verdict: Rejection }
  | { readonly found: "error"; readonly reasons: readonly string[] };

/**
 * The smallest set of lower-priority pods that must leave a node: all are taken away, then given back one by one while the pod
 * still fits, those first whose budget would be violated, and among equals the more important ones.
 * Mirrors: plugins/defaultpreemption SelectVictimsOnNode, Kubernetes 1.34 to 1.37.
 */
export function selectVictims(cycle: Cycle, run: FilterRun, node: NodeView): Selection {
  const lower = node.pods.filter((pod) => pod.template.priority < cycle.pod.template.priority);
  if (lower.length === 0) {
    return { found: "none", verdict: rejectForGood("No preemption victims found for incoming pod") };
  }
  const trial = run.fork();
  const without = new NodeOverlay(node);
  const remove = (pod: PodView): void => {
    without.remove(pod);
    trial.podRemoved(pod, without);
  };
  for (const pod of lower) remove(pod);
  const verdict = filterWithNominatedPods(cycle, trial, without);
  if (verdict.code === "Error") return { found: "error", reasons: verdict.reasons };
  if (verdict.code !== "Success") return { found: "none", verdict };

  const ordered = [...lower].sort((a, b) => byImportance(cycle, a, b));
  const { violating, others } = splitByBudget(ordered, cycle.view.budgets);
  const victims: PodView[] = [];
  let budgetViolations = 0;
  for (const pod of [...violating, ...others]) {
    without.add(pod);
    trial.podAdded(pod, without);
    if (filterWithNominatedPods(cycle, trial, without).code === "Success") continue;
    remove(pod);
    victims.push(pod);
    if (violating.includes(pod)) budgetViolations += 1;
  }
  if (violating.length > 0 && others.length > 0) victims.sort((a, b) => byImportance(cycle, a, b));
  if (victims.length === 0) {
    return { found: "error", reasons: [`expected at least one victim pod on node "${node.name}"`] };
  }
  const drawn = isDrawn(cycle, victims, lower);
  return { found: "victims", victims: { node: node.name, pods: victims, budgetViolations, drawn } };
}

function isDrawn(cycle: Cycle, victims: readonly PodView[], lower: readonly PodView[]): boolean {
  if (victims.length === lower.length) return false;
  const stay = lower.filter((pod) => !victims.includes(pod));
  const unlike = (a: PodView, b: PodView): boolean => a.owner === null || a.owner !== b.owner;
  return victims.some((victim) =>
    stay.some((other) => unlike(victim, other) && byImportance(cycle, victim, other) === 0),
  );
}

/** Higher priority first, then the one that runs longer. A pod without a start time counts as started now. */
function byImportance(cycle: Cycle, a: PodView, b: PodView): number {
  return b.template.priority - a.template.priority || startOf(cycle, a) - startOf(cycle, b);
}

/** Start times on the wire are whole seconds: what starts within one second starts at once. */
export function startOf({ view }: Cycle, pod: PodView): number {
  return pod.startedAtMs === null ? view.nowMs : Math.floor(pod.startedAtMs / 1000) * 1000;
}

/**
 * Which of the pods, in this order, would overdraw a budget if all before them went too. A pod that an eviction has already
 * been counted for is free. A budget with an empty selector counts for nobody here, unlike for evictions.
 */
export function splitByBudget(
  pods: readonly PodView[],
  budgets: readonly BudgetView[],
): { readonly violating: readonly PodView[]; readonly others: readonly PodView[] } {
  const left = new Map<BudgetView, number>();
  const violating: PodView[] = [];
  const others: PodView[] = [];
  for (const pod of pods) {
    let violates = false;
    for (const view of covering(budgets, pod)) {
      if (view.disruptedPods.has(pod.key)) continue;
      const rest = (left.get(view) ?? view.status.disruptionsAllowed) - 1;
      left.set(view, rest);
      if (rest < 0) violates = true;
    }
    (violates ? violating : others).push(pod);
  }
  return { violating, others };
}

/** Asked for every pod on every node where a pod could make room. */
function covering(budgets: readonly BudgetView[], { template }: PodView): readonly BudgetView[] {
  const known = underKey(byTemplate, budgets, () => new WeakMap<PodTemplate, readonly BudgetView[]>());
  return underKey(known, template, () =>
    inNamespace(budgets, template.namespace).filter((view) => covers(view, template)),
  );
}

/** By the list itself: it is made anew when a budget comes or goes. */
const byTemplate = new WeakMap<readonly BudgetView[], WeakMap<PodTemplate, readonly BudgetView[]>>();

function inNamespace(budgets: readonly BudgetView[], namespace: string): readonly BudgetView[] {
  const groups = underKey(byNamespace, budgets, () => Map.groupBy(budgets, ({ budget }) => budget.ref.namespace));
  return groups.get(namespace) ?? [];
}

/** The same. */
const byNamespace = new WeakMap<readonly BudgetView[], ReadonlyMap<string, readonly BudgetView[]>>();

function covers({ budget }: BudgetView, { labels }: PodTemplate): boolean {
  if (labels.size === 0) return false;
  const { selector } = budget;
  if (selector === null || selector.invalid || selector.requirements.length === 0) return false;
  return matches(selector, labels);
}

export function keysOf({ pods }: Victims): readonly PodKey[] {
  return pods.map((pod) => pod.key);
}
