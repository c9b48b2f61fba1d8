import type { SimMs } from "../base/units.ts";
import type { Journal } from "./journal.ts";

/** Something that is to happen; of several at one moment the lowest number comes first. */
export interface Appointment {
  readonly atMs: SimMs;
  readonly seq: number;
}

/** What is to come, in its order. Changes only through the journal. */
export class Agenda<T extends Appointment> {
  /** The next one last: taking it moves none of the others. */
  readonly #list: T[] = [];
  readonly #journal: Journal;
  #inTurn: readonly T[] | null = null;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get size(): number {
    return this.#list.length;
  }

  get next(): T | undefined {
    return this.#list.at(-1);
  }

  /** All of them, the next one first. */
  get inTurn(): readonly T[] {
    this.#inTurn ??= this.#list.toReversed();
    return this.#inTurn;
  }

  add(item: T): void {
    this.#insert(item);
    this.#journal.note(() => this.#remove(item));
  }

  remove(item: Appointment): void {
    const removed = this.#remove(item);
    if (removed !== undefined) this.#journal.note(() => this.#insert(removed));
  }

  #insert(item: T): void {
    this.#inTurn = null;
    this.#list.splice(this.#placeOf(item), 0, item);
  }

  #remove(item: Appointment): T | undefined {
    const at = this.#placeOf(item);
    if (this.#list[at]?.seq !== item.seq) return undefined;
    this.#inTurn = null;
    return this.#list.splice(at, 1)[0];
  }

  /** Where it stands, or would. */
  #placeOf({ atMs, seq }: Appointment): number {
    let low = 0;
    for (let high = this.#list.length; low < high; ) {
      const middle = (low + high) >> 1;
      const other = this.#list[middle];
      if (other !== undefined && (other.atMs > atMs || (other.atMs === atMs && other.seq > seq))) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
