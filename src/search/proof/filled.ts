import type { PodTemplate } from "../../model/pod-template.ts";
import { type Amount, amountsAsked, limiting } from "./amounts.ts";
import type { Load, Place, Visitors } from "./visitors.ts";

/**
 * How many of the places can at most be without room for a pod at one time, whatever of their visitors stands where.
 *
 * The argument, for each amount by itself: a place without room holds so much that one more pod does not fit. Where visitors
 * cannot gather so much, since another amount keeps them from one place, there always is room. Of the other places the
 * cheapest are filled, as far as all visitors together reach.
 */
export function filledAtMost(template: PodTemplate, { free, groups }: Visitors): number {
  let filled = 0;
  for (const amount of amountsAsked(template)) {
    const asked = amount.read(template.requests);
    const limits = limiting.filter((limit) => limit !== amount);
    const freeBy = limits.map((limit) => byWorth(free, amount, limit));
    const steps = groups.flatMap(({ members, shared }) => {
      const sharedBy = limits.map((limit) => byWorth(shared, amount, limit));
      const costs: number[] = [];
      for (const place of members) {
        const wanted = amount.of(place.node) - asked + 1;
        const gathers = limits.every((limit, at) => {
          const own = byWorth(place.standing, amount, limit);
          return (
            gathered([own, sharedBy[at] ?? [], freeBy[at] ?? []], { amount, limit, most: mostOn(place, limit) }) >=
            wanted
          );
        });
        if (gathers) costs.push(Math.max(0, wanted - sumOf(place.standing, amount)));
      }
      return stepCosts(costs, sumOf(shared, amount));
    });
    filled += countWithin(steps, sumOf(free, amount));
  }
  return filled;
}

/** What stands there now may be more than fits; nothing is added to it then. */
function mostOn({ node, held }: Place, limit: Amount): number {
  return Math.max(limit.of(node), sumOf(held, limit));
}

function sumOf(loads: readonly Load[], { read }: Amount): number {
  return loads.reduce((sum, { count, requests }) => sum + count * read(requests), 0);
}

/** Those first that bring most of one amount for what they take of the other. */
function byWorth(loads: readonly Load[], amount: Amount, limit: Amount): readonly Load[] {
  const worth = ({ requests }: Load): number => amount.read(requests) / limit.read(requests);
  return loads.filter(({ requests }) => amount.read(requests) > 0).sort((a, b) => worth(b) - worth(a));
}

/** The most of an amount that fits into so much of the other, pods cut as one likes; each list is ordered by worth. */
function gathered(
  lists: readonly (readonly Load[])[],
  { amount, limit, most }: { readonly amount: Amount; readonly limit: Amount; readonly most: number },
): number {
  const at = lists.map(() => 0);
  let left = most;
  let sum = 0;
  for (;;) {
    let best = -1;
    let bestWorth = -1;
    for (const [index, list] of lists.entries()) {
      const load = list[at[index] ?? 0];
      if (load === undefined) continue;
      const worth = amount.read(load.requests) / limit.read(load.requests);
      if (worth > bestWorth) [best, bestWorth] = [index, worth];
    }
    const load = lists[best]?.[at[best] ?? 0];
    if (load === undefined) return sum;
    const takes = load.count * limit.read(load.requests);
    const brings = load.count * amount.read(load.requests);
    // Rounded up: what is lost in the division is less than one.
    if (takes > left) return Math.ceil(sum + (brings * left) / takes + 1);
    left -= takes;
    sum += brings;
    at[best] = (at[best] ?? 0) + 1;
  }
}

/** How many can be had for so much, the cheapest first. */
function countWithin(costs: readonly number[], budget: number): number {
  let left = budget;
  let count = 0;
  for (const cost of [...costs].sort((a, b) => a - b)) {
    if (cost > left) break;
    left -= cost;
    count += 1;
  }
  return count;
}

/**
 * What one more filled place of a group costs beyond what its own pods bring, the first, the second and so on. Own pods fill
 * the cheapest places first, so that each step costs at least what the one before did.
 */
function stepCosts(costs: readonly number[], own: number): readonly number[] {
  let sum = 0;
  let paid = 0;
  return [...costs]
    .sort((a, b) => a - b)
    .map((cost) => {
      sum += cost;
      const total = Math.max(0, sum - own);
      const step = total - paid;
      paid = total;
      return step;
    });
}
