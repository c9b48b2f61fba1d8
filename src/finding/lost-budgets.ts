import { matches } from "../model/labels.ts";
import type { Budget } from "../model/policy.ts";
import { Fields } from "../wire/fields.ts";
import type { Scene, Stop } from "./scene.ts";

/** A budget that selects no pod, in a namespace where the path has some. */
export interface LostBudget {
  readonly budget: Budget;
  /** The part it was most likely written for: one of that namespace that no budget selects; null: all have one. */
  readonly meantFor: Stop | null;
}

export function lostBudgets(scene: Scene): readonly LostBudget[] {
  const namespaces = new Set(scene.stops.map(({ hop }) => hop.ref.namespace));
  // What pods of a custom resource would carry that is at zero now nobody knows.
  for (const { ref, body } of scene.cluster.others.values()) {
    const spec = Fields.of(body, () => {}).object("spec");
    if (spec.count("replicas") === 0) namespaces.delete(ref.namespace);
  }
  const lost = scene.view.budgets
    .map(({ budget }) => budget)
    .filter((budget) => namespaces.has(budget.ref.namespace) && selectsNothing(scene, budget));
  if (lost.length === 0) return [];
  const bare = scene.stops.filter(({ hop, budgets, units, workload }) => {
    return hop.needed && units > 0 && budgets.length === 0 && workload?.kind !== "DaemonSet";
  });
  return lost.map((budget) => ({ budget, meantFor: nearest(budget, bare) }));
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

/** By the words it shares with the budget's name and selector; of equals the first. */
function nearest({ ref, selector }: Budget, bare: readonly Stop[]): Stop | null {
  const values = selector?.requirements.flatMap(({ key, values }) => [key, ...values]) ?? [];
  const words = new Set([ref.name, ...values].flatMap(wordsOf));
  let best: { readonly stop: Stop; readonly shared: number } | null = null;
  for (const stop of bare) {
    if (stop.hop.ref.namespace !== ref.namespace) continue;
    const own = new Set(
      [stop.hop.ref.name, ...(stop.template?.labels ?? new Map<string, string>())].flat().flatMap(wordsOf),
    );
    const shared = [...own].filter((word) => words.has(word)).length;
    if (best === null || shared > best.shared) best = { stop, shared };
  }
  return best?.stop ?? null;
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
}
