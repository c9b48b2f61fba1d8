import type { PodTemplate } from "../../model/pod-template.ts";
import { type Amount, amountsAsked } from "./amounts.ts";
import type { Present } from "./present.ts";

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
  /** Of each size of pods, what one brings. */
  readonly brings: readonly number[];
  /** Place by place, beyond what stands there in any case; infinite where so much cannot gather. */
  readonly needs: Float64Array;
  /** The most that is needed anywhere: what is counted is so many parts of it. */
  readonly most: number;
}

function lackOf({ requests }: PodTemplate, amount: Amount, present: Present): Lack {
  const { has, stands, gathers } = present.column(amount);
  const asked = amount.read(requests);
  let most = 1;
  const needs = has.map((all, at) => {
    const wanted = all - asked + 1;
    if ((gathers[at] ?? 0) < wanted) return Number.POSITIVE_INFINITY;
    const need = Math.max(0, wanted - (stands[at] ?? 0));
    most = Math.max(most, need);
    return need;
  });
  return { brings: present.sizes.taking(amount), needs, most };
}

/**
 * How many places may lack one of these amounts. Costs and what pods bring are told in parts of the most that is needed of an amount
 * anywhere, and one pod brings no more than a whole one: it fills no second place.
 */
function filledBy(lacks: readonly Lack[], { sizes, free, groups }: Present): number {
  const brought = Array.from({ length: sizes.count }, (_, size) =>
    lacks.reduce((most, { brings, most: whole }) => Math.min(1, Math.max(most, (brings[size] ?? 0) / whole)), 0),
  );
  let at = 0;
  const steps = groups.flatMap(({ members, shared }) => {
    const costs: number[] = [];
    for (const { count } of members) {
      let each = Number.POSITIVE_INFINITY;
      for (const { needs, most } of lacks) each = Math.min(each, (needs[at] ?? 0) / most);
      if (each < Number.POSITIVE_INFINITY) for (let n = 0; n < count; n += 1) costs.push(each);
      at += 1;
    }
    return stepCosts(
      costs,
      shared.reduce((sum, size) => sum + (brought[size] ?? 0), 0),
    );
  });
  return countWithin(
    steps,
    free.reduce((sum, count, size) => sum + count * (brought[size] ?? 0), 0),
  );
}

/** What is lost in divisions is less than this. */
const rounding = 1e-6;

/** How many can be had for so much, the cheapest first. */
function countWithin(costs: readonly number[], budget: number): number {
  let left = budget + rounding;
  let had = 0;
  for (const cost of Float64Array.from(costs).sort()) {
    if (cost > left) break;
    left -= cost;
    had += 1;
  }
  return had;
}

/**
 * What one more filled place of a group costs beyond what its own pods bring, the first, the second and so on. Own pods fill
 * the cheapest places first, so that each step costs at least what the one before did.
 */
function stepCosts(costs: readonly number[], own: number): readonly number[] {
  if (own === 0) return costs;
  let sum = 0;
  let paid = 0;
  return costs
    .toSorted((a, b) => a - b)
    .map((cost) => {
      sum += cost;
      const total = Math.max(0, sum - own);
      const step = total - paid;
      paid = total;
      return step;
    });
}
