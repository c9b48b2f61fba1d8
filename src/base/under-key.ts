/** A Map or a WeakMap. */
interface Index<K, T> {
  get(key: K): T | undefined;
  set(key: K, value: T): unknown;
}

/**
 * What stands under a key, which is made when nothing does yet. Where it is asked all the time the map is asked first: one function
 * for all maps is slow for each of them.
 */
export function underKey<K, T>(index: Index<K, T>, key: K, make: (key: K) => T): T {
  let known = index.get(key);
  if (known === undefined) {
    known = make(key);
    index.set(key, known);
  }
  return known;
}
