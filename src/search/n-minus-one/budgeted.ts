import { listed } from "../../base/listed.ts";
import { underKey } from "../../base/under-key.ts";
import { budgetsOf } from "../../eviction/budgets-of.ts";
import type { BudgetView, PodView } from "../../model/view.ts";
import type { Ledger } from "../../sim/ledger.ts";

/** Pods under budgets, by node. Most of those on a node are under none, and no views of these are made. */
export class Budgeted {
  readonly #view: Ledger;
  readonly #byNode = new Map<string, ReadonlyMap<BudgetView, readonly PodView[]>>();

  constructor(view: Ledger) {
    this.#view = view;
  }

  on(node: string): ReadonlyMap<BudgetView, readonly PodView[]> {
    return underKey(this.#byNode, node, () => {
      const found = new Map<BudgetView, PodView[]>();
      for (const pod of this.#view.podsOnMeant(node, (one) => budgetsOf(this.#view, one).length > 0))
        for (const budget of budgetsOf(this.#view, pod)) listed(found, budget, pod);
      return found;
    });
  }
}
