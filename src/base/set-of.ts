import { underKey } from "./under-key.ts";

/** A list that never changes as a set, made once: for lists of thousands that are asked about again and again. */
export function setOf<T>(list: readonly T[]): ReadonlySet<T>;
export function setOf(list: readonly unknown[]): ReadonlySet<unknown> {
  return underKey(known, list, () => new Set(list));
}

const known = new WeakMap<readonly unknown[], ReadonlySet<unknown>>();
