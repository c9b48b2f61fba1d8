import { listed } from "../base/listed.ts";
import { none } from "../base/none.ts";
import { underKey } from "../base/under-key.ts";
import { cohortsOf } from "../eviction/budgets-of.ts";
import { matches } from "../model/labels.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { Budget } from "../model/policy.ts";
import type { BudgetView, ClusterView } from "../model/view.ts";
import { Fields } from "../wire/fields.ts";
import type { Scene, Stop } from "./scene.ts";

/** A budget that selects no pod, in a namespace where the path has some. */
export interface LostBudget {
  readonly budget: Budget;
  /** The part it was most likely written for: one of that namespace that no budget selects; null: all have one. */
  readonly meantFor: Stop | null;
}

export function lostBudgets(scene: Scene): readonly LostBudget[] {
  return underKey(known, scene, find);
}

/** Two rules ask. */
const known = new WeakMap<Scene, readonly LostBudget[]>();

function find(scene: Scene): readonly LostBudget[] {
  const namespaces = new Set(scene.stops.map(({ hop }) => hop.ref.namespace));
  // What pods of a custom resource would carry that is at zero now nobody knows.
  for (const { ref, body } of scene.cluster.others.values()) {
    const spec = Fields.of(body, () => {}).object("spec");
    if (spec.count("replicas") === 0) namespaces.delete(ref.namespace);
  }
  const guarding = new Set(scene.stops.flatMap(({ budgets }) => budgets));
  const lost = scene.view.budgets
    .filter((entry) => namespaces.has(entry.budget.ref.namespace) && !guarding.has(entry))
    .filter((entry) => selectsNothing(scene, entry))
    .map(({ budget }) => budget);
  if (lost.length === 0) return [];
  return lost.map((budget) => ({ budget, meantFor: meantFor(budget, scene.stops) }));
}

/** The part most alike in words, if it is bare: a budget like one that has another is a leftover. With no word shared, the only bare one. */
function meantFor(budget: Budget, all: readonly Stop[]): Stop | null {
  const near = all.filter(({ hop }) => hop.ref.namespace === budget.ref.namespace);
  const bare = near.filter(isBare);
  const words = wordsOf([budget.ref.name, ...(budget.selector?.requirements.flatMap(({ values }) => values) ?? [])]);
  const shared = (stop: Stop): number => {
    const own = wordsOf([stop.hop.ref.name, ...(stop.template?.labels.values() ?? [])]);
    return [...own].filter((word) => words.has(word)).length;
  };
  const most = Math.max(0, ...near.map(shared));
  const [first, second] = most > 0 ? bare.filter((stop) => shared(stop) === most) : bare;
  return first === undefined || (most === 0 && second !== undefined) ? null : first;
}

function isBare({ hop, budgets, units, workload }: Stop): boolean {
  return hop.needed && units > 0 && budgets.length === 0 && workload?.kind !== "DaemonSet";
}

function selectsNothing({ view }: Scene, entry: BudgetView): boolean {
  const { ref, selector } = entry.budget;
  if (selector === null || selector.invalid) return true;
  if (cohortsOf(view, entry).some(({ size }) => size > 0)) return false;
  const takes = ({ labels }: PodTemplate): boolean => matches(selector, labels);
  return !(underKey(made, view, templatesByNamespace).get(ref.namespace) ?? none).some(takes);
}

/** What controllers would make, as findings are about a cluster that stands still. */
const made = new WeakMap<ClusterView, ReadonlyMap<string, readonly PodTemplate[]>>();

function templatesByNamespace({ workloads }: ClusterView): ReadonlyMap<string, readonly PodTemplate[]> {
  const found = new Map<string, PodTemplate[]>();
  for (const { spec } of workloads) {
    if (spec.kind === "Other") continue;
    const templates = spec.kind === "LeaderWorkerSet" ? [spec.leaderTemplate, spec.workerTemplate] : [spec.template];
    for (const template of templates) listed(found, spec.ref.namespace, template);
  }
  return found;
}

function wordsOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.split(/[^A-Za-z0-9]+/)).filter((word) => word !== ""));
}
