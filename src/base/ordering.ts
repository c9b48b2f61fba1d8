/** Orders strings by UTF-16 code unit: the same on every machine, unlike localeCompare. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Orders by a string key. */
export function byKey<T>(key: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => byCodeUnit(key(a), key(b));
}

/** The keys of a map in code-unit order: map order must never reach output. */
export function sortedKeys<V>(map: ReadonlyMap<string, V>): string[] {
  return [...map.keys()].sort(byCodeUnit);
}
