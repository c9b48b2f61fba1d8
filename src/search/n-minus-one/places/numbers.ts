/** Numbers for what values say: two that say the same have the same one. Values never change. */
export class Numbers {
  readonly #known = new Map<unknown, number>();
  readonly #bySaid = new Map<string, number>();
  readonly #byPair = new Map<number, number>();

  /** One number for two: numbers of pairs are apart from those of values. None is 0, with which lists of numbers begin. */
  ofPair(one: number, other: number): number {
    const pair = one * most + other;
    let number = this.#byPair.get(pair);
    if (number === undefined) {
      number = this.#byPair.size + 1;
      this.#byPair.set(pair, number);
    }
    return number;
  }

  of(value: object | null): number {
    if (value === null) return nothing;
    if (Array.isArray(value) && value.length === 0) return empty;
    let number = this.#known.get(value);
    if (number === undefined) {
      const said = Array.isArray(value) ? JSON.stringify(value) : JSON.stringify(value, mapsAsLists);
      number = this.#bySaid.get(said) ?? this.#bySaid.size + others;
      this.#bySaid.set(said, number);
      this.#known.set(value, number);
    }
    return number;
  }
}

/** Lists have no maps in them. */
function mapsAsLists(_: string, part: unknown): unknown {
  return part instanceof Map ? [...part] : part;
}

/** More than there are. */
const most = 2 ** 26;

/** Known without looking; the others come after. */
const nothing = 0;
const empty = 1;
const others = 2;
