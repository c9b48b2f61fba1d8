import type { Counter } from "./counter.ts";
import type { Kind } from "./kind.ts";
import type { SpreadFilter } from "./spread.ts";

/** Fewest pods in a domain; too few domains count as an empty one more. */
export function fewestOf({ counter, minDomains, present }: SpreadFilter): number {
  return present < minDomains ? 0 : counter.fewest(present);
}

/** With the pod added, the domain has not too many more than the emptiest one. */
export function isEven({ domains, counter, own, maxSkew }: SpreadFilter, at: number, fewest: number): boolean {
  return (domains.of[at] ?? -1) >= 0 && counter.on(at) + own - fewest <= maxSkew;
}

/** Every term of its affinity finds a pod there; the first of a group needs none. */
export function hasCompany({ affinity, matchesItself }: Kind, at: number): boolean {
  let found = true;
  let total = 0;
  for (let i = 0; i < affinity.length; i += 1) {
    const counter = affinity[i];
    if (counter === undefined) continue;
    if ((counter.domains.of[at] ?? -1) < 0) return false;
    if (counter.on(at) <= 0) found = false;
    total += counter.total;
  }
  return found || (total === 0 && matchesItself);
}

/** None of the pods it keeps apart from is there. */
export function isFree(apartFrom: readonly Counter[], at: number): boolean {
  for (let i = 0; i < apartFrom.length; i += 1) if ((apartFrom[i]?.on(at) ?? 0) > 0) return false;
  return true;
}
