import type { Kind, Spread } from "./kind.ts";

/** Fewest pods in a domain; too few domains count as an empty one more. */
export function fewestOf({ counter: { counts }, rule, present }: Spread): number {
  if (present < rule.minDomains || counts.size < present) return 0;
  let least = Number.POSITIVE_INFINITY;
  for (const count of counts.values()) least = Math.min(least, count);
  return least;
}

/** With the pod added, the domain has not too many more than the emptiest one. */
export function isEven({ domainOf, counter, own, rule }: Spread, at: number, fewest: number): boolean {
  if ((domainOf[at] ?? -1) < 0) return false;
  return counter.counts.size === 0
    ? own - fewest <= rule.maxSkew
    : (counter.counts.get(domainOf[at] ?? -1) ?? 0) + own - fewest <= rule.maxSkew;
}

/** Every term of its affinity finds a pod there; the first of a group needs none. */
export function hasCompany({ affinity, matchesItself }: Kind, at: number): boolean {
  let found = true;
  let total = 0;
  for (const counter of affinity) {
    if ((counter.domainOf[at] ?? -1) < 0) return false;
    if (counter.on(at) <= 0) found = false;
    total += counter.total;
  }
  return found || (total === 0 && matchesItself);
}
