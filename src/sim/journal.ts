/**
 * Remembers how to take every change back, newest first: a search forks by marking, and returns by undoing. All state of
 * a simulation changes through one journal; nothing is ever copied.
 */
export class Journal {
  readonly #undo: Undo[] = [];

  /** A point to return to. */
  mark(): number {
    return this.#undo.length;
  }

  undoTo(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.undo();
  }

  set<T extends object, K extends keyof T>(target: T, field: K, value: T[K]): void {
    const before = target[field];
    if (before === value) return;
    target[field] = value;
    this.#undo.push(new FieldSet(target, field, before));
  }

  mapSet<K, V>(map: Map<K, V>, key: K, value: V): void {
    this.#undo.push(new EntrySet(map, key, map.get(key)));
    map.set(key, value);
  }

  /** The order of a map's keys is not restored: never let it reach output unsorted. */
  mapDelete<K, V>(map: Map<K, V>, key: K): void {
    const before = map.get(key);
    if (before === undefined) return;
    map.delete(key);
    this.#undo.push(new EntrySet(map, key, before));
  }

  /** Any other change: how to take it back. */
  note(undo: () => void): void {
    this.#undo.push({ undo });
  }

  push<T>(list: T[], item: T): void {
    list.push(item);
    this.#undo.push(new Pushed(list));
  }
}

/** Every pod that moves leaves dozens: what was there, and not a function that knows it, which takes twice the room. */
interface Undo {
  undo(): void;
}

class FieldSet<T extends object, K extends keyof T> implements Undo {
  readonly #target: T;
  readonly #field: K;
  readonly #before: T[K];

  constructor(target: T, field: K, before: T[K]) {
    this.#target = target;
    this.#field = field;
    this.#before = before;
  }

  undo(): void {
    this.#target[this.#field] = this.#before;
  }
}

class EntrySet<K, V> implements Undo {
  readonly #map: Map<K, V>;
  readonly #key: K;
  readonly #before: V | undefined;

  constructor(map: Map<K, V>, key: K, before: V | undefined) {
    this.#map = map;
    this.#key = key;
    this.#before = before;
  }

  undo(): void {
    if (this.#before === undefined) this.#map.delete(this.#key);
    else this.#map.set(this.#key, this.#before);
  }
}

class Pushed implements Undo {
  readonly #list: unknown[];

  constructor(list: unknown[]) {
    this.#list = list;
  }

  undo(): void {
    this.#list.pop();
  }
}
