import { listed } from "../../base/listed.ts";
import { underKey } from "../../base/under-key.ts";
import { budgetsOf, podsOf } from "../../eviction/budgets-of.ts";
import type { BudgetView, PodView } from "../../model/view.ts";
import { nextOf } from "../owners.ts";
import { atRest } from "../proof/budget-holds.ts";
import type { Ground } from "./ground.ts";
import type { Loss } from "./loss.ts";

/**
 * Budgets at which a drain by `kubectl drain` stands still for ever, with how many of their pods go before that.
 *
 * All pods under such a budget are ready and what their controllers want, so that it never allows more than it does now. Those
 * of the nodes are asked at one moment: as many go as it allows, which of them makes no difference, and none of these comes back,
 * since the nodes stay closed as long as the drain lasts.
 */
export function holdersOf(
  { standing, rooms }: Pick<Ground, "standing" | "rooms">,
  loss: Loss,
): ReadonlyMap<BudgetView, number> {
  return underKey(known, loss, () => {
    const { drain, nodes } = loss;
    const holders = new Map<BudgetView, number>();
    const isAsked =
      drain?.isPlain === true && !standing.refusesEvictions && !nodes.some((node) => drain.isRefusedOn(node));
    if (!isAsked) return holders;
    for (const [budget, pods] of asked(standing, loss)) {
      const allowed = standing.exactlyAllowedBy(budget);
      if (allowed === null || allowed >= pods.length) continue;
      if (!podsOf(standing.view, budget).every((pod) => atRest(standing.view, pod))) continue;
      if (allowed > 0 && !pods.every((pod) => rooms.neverFinds(nextOf(standing.view, pod), loss))) continue;
      holders.set(budget, allowed);
    }
    return holders;
  });
}

const known = new WeakMap<Loss, ReadonlyMap<BudgetView, number>>();

/** Pods that a drain asks for, by the only budget over them. */
function asked(
  { view, budgeted }: Ground["standing"],
  { drain, pods, nodes }: Loss,
): ReadonlyMap<BudgetView, readonly PodView[]> {
  const found = new Map<BudgetView, PodView[]>();
  const isAsked = (pod: PodView): boolean => drain?.evict.has(pod) === true && pods.has(pod);
  for (const node of nodes) {
    for (const [budget, there] of budgeted.on(node)) {
      // All of a budget are of its namespace.
      if (view.cluster.namespaces.get(budget.budget.ref.namespace)?.terminating === true) continue;
      for (const pod of there) if (isAsked(pod) && budgetsOf(view, pod).length === 1) listed(found, budget, pod);
    }
  }
  return found;
}
