import type { PodTemplate } from "../../model/pod-template.ts";
import { type Amount, amountsAsked, limiting } from "./amounts.ts";
import { byWorth, type Load, type Place, type Present } from "./visitors.ts";

/**
 * How many of the places can at most be without room for a pod at one time, whatever of their visitors stands where.
 *
 * The argument: a place without room holds so much of some amount that one more pod does not fit. Where visitors cannot gather so
 * much, since another amount keeps them from one place, there always is room. Of the other places the cheapest are filled, as far
 * as all visitors together reach. That is counted of each amount by itself, and of all amounts together: a pod stands on one
 * place, which lacks one amount, so that it counts by what it brings most of.
 */
export function filledAtMost(template: PodTemplate, present: Present): number {
  const lacks = amountsAsked(template).map((amount): Lack => lackOf(template, amount, present));
  const each = lacks.reduce((sum, lack) => sum + filledBy([lack], present), 0);
  return Math.min(each, filledBy(lacks, present));
}

/** What it takes to let each place lack an amount. */
interface Lack {
  readonly amount: Amount;
  /** Beyond what stands there in any case; infinite where so much cannot gather. */
  readonly needs: ReadonlyMap<Place, number>;
  /** The most that is needed anywhere: what is counted is so many parts of it. */
  readonly most: number;
}

function lackOf(template: PodTemplate, amount: Amount, present: Present): Lack {
  const { free, groups, countOf } = present;
  const asked = amount.read(template.requests);
  const limits = [...limiting.entries()].filter(([, limit]) => limit !== amount);
  const freeBy = limits.map(([, limit]) => byWorth(free, amount, limit));
  const needs = new Map<Place, number>();
  for (const { members, shared } of groups) {
    const sharedBy = limits.map(([, limit]) => byWorth(shared, amount, limit));
    for (const place of members) {
      const { node, standing } = place;
      const wanted = amount.of(node) - asked + 1;
      const isReached = limits.every(([index, limit], at) => {
        const lists = [byWorth(standing, amount, limit), sharedBy[at] ?? [], freeBy[at] ?? []];
        return gathers(lists, { amount, limit, most: place.most[index] ?? 0, wanted, countOf });
      });
      needs.set(place, isReached ? Math.max(0, wanted - sumOf(standing, amount)) : Number.POSITIVE_INFINITY);
    }
  }
  const finite = [...needs.values()].filter((need) => need < Number.POSITIVE_INFINITY);
  return { amount, needs, most: Math.max(1, ...finite) };
}

/**
 * How many places may lack one of these amounts. Costs and what pods bring are told in parts of the most that is needed of an amount
 * anywhere, and one pod brings no more than a whole one: it fills no second place.
 */
function filledBy(lacks: readonly Lack[], { free, groups, countOf }: Present): number {
  const broughtBy = (loads: readonly Load[]): number =>
    loads.reduce((sum, load) => {
      let each = 0;
      for (const { amount, most } of lacks) each = Math.max(each, amount.read(load.requests) / most);
      return sum + countOf(load) * Math.min(1, each);
    }, 0);
  const steps = groups.flatMap(({ members, shared }) => {
    const costs = members.flatMap((place): Cost | [] => {
      const each = Math.min(...lacks.map(({ needs, most }) => (needs.get(place) ?? 0) / most));
      return each < Number.POSITIVE_INFINITY ? { each, count: place.count } : [];
    });
    return stepCosts(costs, broughtBy(shared));
  });
  return countWithin(steps, broughtBy(free));
}

interface Cost {
  readonly each: number;
  readonly count: number;
}

function sumOf(loads: readonly Load[], { read }: Amount): number {
  return loads.reduce((sum, { count, requests }) => sum + count * read(requests), 0);
}

/** Whether so much of an amount fits into what there is of the other, pods cut as one likes; each list is ordered by worth. */
function gathers(
  lists: readonly (readonly Load[])[],
  {
    amount,
    limit,
    most,
    wanted,
    countOf,
  }: {
    readonly amount: Amount;
    readonly limit: Amount;
    readonly most: number;
    readonly wanted: number;
    countOf(load: Load): number;
  },
): boolean {
  const at = lists.map(() => 0);
  let left = most;
  let sum = 0;
  while (sum < wanted) {
    let best = -1;
    let bestWorth = -1;
    for (let index = 0; index < lists.length; index += 1) {
      const load = lists[index]?.[at[index] ?? 0];
      if (load === undefined) continue;
      const worth = amount.read(load.requests) / limit.read(load.requests);
      if (worth > bestWorth) [best, bestWorth] = [index, worth];
    }
    const load = lists[best]?.[at[best] ?? 0];
    if (load === undefined) return false;
    const count = countOf(load);
    const takes = count * limit.read(load.requests);
    const brings = count * amount.read(load.requests);
    // Rounded up: what is lost in the division is less than one.
    if (takes > left) return Math.ceil(sum + (brings * left) / takes + 1) >= wanted;
    left -= takes;
    sum += brings;
    at[best] = (at[best] ?? 0) + 1;
  }
  return true;
}

/** What is lost in divisions is less than this. */
const rounding = 1e-6;

/** How many can be had for so much, the cheapest first. */
function countWithin(costs: readonly Cost[], budget: number): number {
  let left = budget + rounding;
  let had = 0;
  for (const { each, count } of [...costs].sort((a, b) => a.each - b.each)) {
    const some = each > 0 ? Math.min(count, Math.floor(left / each)) : count;
    had += some;
    left -= some * each;
    if (some < count) break;
  }
  return had;
}

/**
 * What one more filled place of a group costs beyond what its own pods bring, the first, the second and so on. Own pods fill
 * the cheapest places first, so that each step costs at least what the one before did.
 */
function stepCosts(costs: readonly Cost[], own: number): readonly Cost[] {
  if (own === 0) return costs;
  let sum = 0;
  let paid = 0;
  const singly = costs.flatMap(({ each, count }) => Array.from({ length: count }, () => each));
  return singly
    .sort((a, b) => a - b)
    .map((cost) => {
      sum += cost;
      const total = Math.max(0, sum - own);
      const step = { each: total - paid, count: 1 };
      paid = total;
      return step;
    });
}
