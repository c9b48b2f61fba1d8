/** Adds an item to the list under a key, which is made for the first one. */
export function listed<K, T>(index: Map<K, T[]>, key: K, item: T): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, [item]);
  else known.push(item);
}
