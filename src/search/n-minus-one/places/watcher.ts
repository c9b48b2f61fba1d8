import type { Counter } from "./counter.ts";

/** The pods of one template. */
export class Counted {
  /** Null: they stand where they stood at first. */
  all: Counter | null = null;
  /** Terminating ones; null: there were none yet. */
  leaving: Counter | null = null;
  /** Changes that some watcher may not have seen: node, how many pods more, and how many more that are not terminating. */
  readonly moves: number[] = [];
  /** So many of the numbers in `moves` are in the counters above. The others are tried only. */
  included = 0;
  readonly watchers: Watcher[] = [];
}

/** Counts the pods of one template for counters, with all changes up to the last time it was asked to. */
export class Watcher {
  readonly #counted: Counted;
  readonly #counters: readonly Counter[];
  readonly #weight: number;
  /** Terminating pods are gone already for it. */
  readonly #liveOnly: boolean;
  #seen: number;

  constructor(counted: Counted, { counters, weight, liveOnly }: Watching) {
    this.#counted = counted;
    this.#counters = counters;
    this.#weight = weight;
    this.#liveOnly = liveOnly;
    this.#seen = counted.included;
  }

  /** So many of the pods stand there. */
  begin(node: number, amount: number): void {
    for (let i = 0; i < this.#counters.length; i += 1) this.#counters[i]?.add(node, this.#weight * amount);
  }

  /** `closed`: a node nobody comes to, so that what is counted there does not matter; -1: there is none. */
  catchUp(closed: number): void {
    const { length } = this.#counted.moves;
    if (this.#seen === length) return;
    this.#add(this.#seen, length, this.#weight, closed);
    this.#seen = length;
  }

  /** What was tried is taken back, with the same node closed. */
  takeBack(closed: number): void {
    if (this.#seen === 0) return;
    this.#add(0, this.#seen, -this.#weight, closed);
    this.#seen = 0;
  }

  /** All is seen, and the list of changes begins anew. */
  settle(): void {
    this.catchUp(-1);
    this.#seen = 0;
  }

  #add(from: number, to: number, weight: number, closed: number): void {
    const { moves } = this.#counted;
    for (let i = from; i < to; i += 3) {
      const at = moves[i] ?? 0;
      const amount = weight * (moves[this.#liveOnly ? i + 2 : i + 1] ?? 0);
      for (const counter of this.#counters) if (!counter.isLocal || at !== closed) counter.add(at, amount);
    }
  }
}

export interface Watching {
  readonly counters: readonly Counter[];
  readonly weight: number;
  readonly liveOnly: boolean;
}
