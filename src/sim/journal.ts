/**
 * Remembers how to take every change back, newest first: a search forks by marking, and returns by undoing. All state of
 * a simulation changes through one journal; nothing is ever copied.
 */
export class Journal {
  readonly #undo: (() => void)[] = [];

  /** A point to return to. */
  mark(): number {
    return this.#undo.length;
  }

  undoTo(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.();
  }

  set<T extends object, K extends keyof T>(target: T, field: K, value: T[K]): void {
    const before = target[field];
    if (before === value) return;
    target[field] = value;
    this.#undo.push(() => {
      target[field] = before;
    });
  }

  mapSet<K, V>(map: Map<K, V>, key: K, value: V): void {
    const had = map.has(key);
    const before = map.get(key);
    map.set(key, value);
    this.#undo.push(() => {
      if (had && before !== undefined) map.set(key, before);
      else map.delete(key);
    });
  }

  /** The order of a map's keys is not restored: never let it reach output unsorted. */
  mapDelete<K, V>(map: Map<K, V>, key: K): void {
    const before = map.get(key);
    if (before === undefined) return;
    map.delete(key);
    this.#undo.push(() => {
      map.set(key, before);
    });
  }

  /** Any other change: how to take it back. */
  note(undo: () => void): void {
    this.#undo.push(undo);
  }

  push<T>(list: T[], item: T): void {
    list.push(item);
    this.#undo.push(() => {
      list.pop();
    });
  }
}
