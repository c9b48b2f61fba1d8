import { closedTo, type Kind } from "./kind.ts";
import type { Places } from "./places.ts";
import type { Amounts } from "./table.ts";

/** A node closed and emptied, and its pods put elsewhere one by one: then all is taken back, at the cost of what was touched. */
export class Trial {
  readonly #places: Places;
  readonly #closed: number;
  readonly #left: readonly Leaving[];
  /** Somebody may come back to the closed node: what is left there matters. */
  readonly #isOpen: boolean;
  /** Kinds, and where a pod of each went. */
  readonly #placed: Kind[] = [];
  readonly #placedOn: number[] = [];
  #start = 0;

  constructor(places: Places, closed: number, left: readonly Leaving[]) {
    this.#places = places;
    this.#closed = closed;
    this.#left = left;
    const { table, census } = places;
    places.settle();
    table.closed = closed;
    table.touch(closed);
    this.#isOpen = left.some(({ kind }) => kind?.demand.fixed.toleratesCordon === true);
    for (const { amounts, template } of left) {
      if (this.#isOpen) table.add(closed, amounts, -1);
      census.tryMove(template, closed, -1);
    }
  }

  /** The nodes the scheduler draws from, searching on from where it stopped; the pod goes to the first of them. */
  place(kind: Kind): readonly number[] {
    const { table, census } = this.#places;
    const { top, next } = this.#places.searchFrom(kind, this.#start);
    this.#start = next;
    const [at] = top;
    if (at === undefined) return top;
    this.#placed.push(kind);
    this.#placedOn.push(at);
    table.add(at, kind.demand.template, 1);
    table.touch(at);
    census.tryMove(kind.number, at, 1);
    return top;
  }

  takeBack(): void {
    const { table, census } = this.#places;
    for (let i = 0; i < this.#placed.length; i += 1) {
      const template = this.#placed[i]?.demand.template;
      if (template !== undefined) table.add(this.#placedOn[i] ?? 0, template, -1);
    }
    for (const { amounts, kind } of this.#left) {
      if (this.#isOpen) table.add(this.#closed, amounts, 1);
      if (kind !== null) for (const watcher of kind.watchers) watcher.takeBack(closedTo(kind, table));
    }
    table.closed = -1;
    table.untouch();
    census.forgetMoves();
  }
}

/** A pod that leaves, and its kind; null: it is not one of those whose place is told. */
export interface Leaving {
  readonly amounts: Amounts;
  readonly kind: Kind | null;
  /** The number of its template. */
  readonly template: number;
}
