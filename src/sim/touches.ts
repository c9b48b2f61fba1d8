/**
 * Who was touched when, for readers who remember how far they have read. Of each only the last time is kept, so that a search
 * that goes back and forth over the same few does not make it long.
 */
export class Touches<T> {
  /** In the order of their times; some stand for no last time any more. */
  #items: T[] = [];
  #times: number[] = [];
  readonly #last = new Map<T, number>();
  /** Nobody knows who was touched up to then. */
  #forgotten = 0;
  #count = 0;
  readonly #keptMax: number;

  /** Forgets those of longest ago when there are more. */
  constructor(keptMax: number) {
    this.#keptMax = keptMax;
  }

  /** So many times somebody was touched. */
  get count(): number {
    return this.#count;
  }

  add(item: T): void {
    this.#count += 1;
    this.#last.set(item, this.#count);
    this.#items.push(item);
    this.#times.push(this.#count);
    if (this.#items.length > 2 * this.#keptMax) this.#compact();
  }

  /** Each once, in no order; null: too long ago. */
  since(count: number): readonly T[] | null {
    if (count < this.#forgotten) return null;
    const found: T[] = [];
    for (let at = this.#items.length - 1; at >= 0; at -= 1) {
      const time = this.#times[at] ?? 0;
      if (time <= count) break;
      const item = this.#items[at];
      if (item !== undefined && this.#last.get(item) === time) found.push(item);
    }
    return found;
  }

  #compact(): void {
    const kept = [...this.#last].sort(([, a], [, b]) => a - b);
    for (const [item, time] of kept.splice(0, Math.max(0, kept.length - this.#keptMax))) {
      this.#last.delete(item);
      this.#forgotten = time;
    }
    this.#items = kept.map(([item]) => item);
    this.#times = kept.map(([, time]) => time);
  }
}
