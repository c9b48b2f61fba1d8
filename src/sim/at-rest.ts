import { underKey } from "../base/under-key.ts";
import { budgetSync } from "../eviction/budget-status.ts";
import type { Cluster } from "../model/cluster.ts";
import type { ObjectKey } from "../model/key.ts";
import type { BudgetStatus } from "../model/policy.ts";
import { budgetStatus } from "../model/saved-model.ts";
import type { BudgetView, ClusterView } from "../model/view.ts";
import { type Codec, fields, list, nullable, text } from "../wire/codec.ts";
import { controllersOf } from "../workload/registry.ts";
import { asItStands } from "./as-it-stands.ts";

/**
 * Who wants something in a cluster as it was read. Most of a running cluster is at rest: nobody need look at what does not
 * change, and to find that out of each of 30,000 workloads costs more than most questions.
 */
export interface Restless {
  /** Workloads of which a controller does something, in the cluster's order. */
  readonly workloads: readonly ObjectKey[];
  /** Budgets whose controller has still to look. */
  readonly budgets: readonly StaleBudget[];
}

interface StaleBudget {
  readonly key: ObjectKey;
  /** What it will write, where that is all it does and nothing changes before; null: that is not known. */
  readonly status: BudgetStatus | null;
}

export function restlessOf(cluster: Cluster): Restless {
  return underKey(known, cluster, () => foundRestless(asItStands(cluster)));
}

function foundRestless(view: ClusterView): Restless {
  const wants = [...view.workloads].filter((workload) =>
    controllersOf(workload.spec.kind).some((controller) => controller.reconcile(view, workload).length > 0),
  );
  return {
    workloads: wants.map(({ key }) => key),
    budgets: view.budgets
      .filter((budget) => isStale(view, budget))
      .map((budget) => {
        const { status, recheckAtMs } = budgetSync(view, budget);
        const isAll = wants.length === 0 && budget.disruptedPods.size === 0 && recheckAtMs === null;
        return { key: budget.budget.key, status: isAll ? status : null };
      }),
  };
}

export const savedRestless: Codec<Restless> = fields<Restless>({
  workloads: list(text),
  budgets: list(fields<StaleBudget>({ key: text, status: nullable(budgetStatus) })),
});

/** It was found before, and saved with the cluster. */
export function knowRestless(cluster: Cluster, restless: Restless): void {
  known.set(cluster, restless);
}

const known = new WeakMap<Cluster, Restless>();

/**
 * Has its controller still to look: no status, an older generation's, or one that is not of this specification and these
 * pods, as of a file that was edited. A count that cannot be made again (an owner that was not seen) is believed.
 */
function isStale(view: ClusterView, budget: BudgetView): boolean {
  const { status, generation } = budget.budget;
  if (status === null || status.observedGeneration < Math.max(1, generation)) return true;
  const now = budgetSync(view, budget).status;
  return now.reason !== "SyncFailed" && now !== budget.status;
}
