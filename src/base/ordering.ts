/** Orders strings by UTF-16 code unit: the same on every machine, unlike localeCompare. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Orders by a string key. */
export function byKey<T>(key: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => byCodeUnit(key(a), key(b));
}

/** The items by a string key, each asked for its key once. */
export function sortedBy<T>(items: Iterable<T>, key: (item: T) => string): T[] {
  return Array.from(items, (item) => ({ item, key: key(item) }))
    .sort((a, b) => byCodeUnit(a.key, b.key))
    .map(({ item }) => item);
}
