/** A map of which each value is made when somebody asks for it. */
export class LateMap<T extends object> implements ReadonlyMap<string, T> {
  readonly #places = new Map<string, number>();
  readonly #make: (place: number) => T;
  readonly #values: (T | undefined)[];

  constructor(keys: readonly string[], make: (place: number) => T) {
    for (const [place, key] of keys.entries()) this.#places.set(key, place);
    this.#make = make;
    this.#values = new Array<undefined>(keys.length).fill(undefined);
  }

  get size(): number {
    return this.#places.size;
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  get(key: string): T | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#at(place);
  }

  keys(): MapIterator<string> {
    return this.#places.keys();
  }

  *values(): MapIterator<T> {
    for (const place of this.#places.values()) yield this.#at(place);
  }

  *entries(): MapIterator<[string, T]> {
    for (const [key, place] of this.#places) yield [key, this.#at(place)];
  }

  [Symbol.iterator](): MapIterator<[string, T]> {
    return this.entries();
  }

  forEach(tell: (value: T, key: string, map: ReadonlyMap<string, T>) => void): void {
    for (const [key, value] of this) tell(value, key, this);
  }

  #at(place: number): T {
    const known = this.#values[place];
    if (known !== undefined) return known;
    const made = this.#make(place);
    this.#values[place] = made;
    return made;
  }
}
