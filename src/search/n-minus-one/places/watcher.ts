import type { Counter } from "./counter.ts";
import type { Moves } from "./moves.ts";

/** Counts the pods of one template for counters, with all changes up to the last time it was asked to. */
export class Watcher {
  /** Another that watches the same template. */
  readonly next: Watcher | null;
  readonly #moves: Moves;
  readonly #template: number;
  readonly #counters: readonly Counter[];
  readonly #weight: number;
  /** Terminating pods are gone already for it. */
  readonly #liveOnly: boolean;
  /** The template's last change that it has seen; 0: none. */
  #seen: number;

  constructor({ counters, weight, liveOnly }: Watching, { moves, template, seen, next }: Watched) {
    this.next = next;
    this.#moves = moves;
    this.#template = template;
    this.#counters = counters;
    this.#weight = weight;
    this.#liveOnly = liveOnly;
    this.#seen = seen;
  }

  /** So many nodes are told next. */
  expect(nodes: number): void {
    for (let i = 0; i < this.#counters.length; i += 1) this.#counters[i]?.expect(nodes);
  }

  /** So many of the pods stand there. */
  begin(node: number, amount: number): void {
    for (let i = 0; i < this.#counters.length; i += 1) this.#counters[i]?.add(node, this.#weight * amount);
  }

  /** `closed`: a node nobody comes to, so that what is counted there does not matter; -1: there is none. */
  catchUp(closed: number): void {
    const last = this.#moves.lastOf(this.#template);
    if (last === this.#seen) return;
    this.#add({ last, until: this.#seen, weight: this.#weight, closed });
    this.#seen = last;
  }

  /** What was tried is taken back, with the same node closed. */
  takeBack(closed: number): void {
    if (this.#seen === 0) return;
    this.#add({ last: this.#seen, until: 0, weight: -this.#weight, closed });
    this.#seen = 0;
  }

  /** All is seen, and the list of changes begins anew. */
  settle(): void {
    this.catchUp(-1);
    this.#seen = 0;
  }

  #add({ last, until, weight, closed }: Range): void {
    const { node, all, live, before } = this.#moves;
    const more = this.#liveOnly ? live : all;
    const counters = this.#counters;
    for (let change = last; change > until; change = before[change] ?? 0) {
      const at = node[change] ?? 0;
      const amount = weight * (more[change] ?? 0);
      for (let i = 0; i < counters.length; i += 1) {
        const counter = counters[i];
        if (counter !== undefined && (at !== closed || !counter.isLocal)) counter.add(at, amount);
      }
    }
  }
}

export interface Watching {
  readonly counters: readonly Counter[];
  readonly weight: number;
  readonly liveOnly: boolean;
}

/** Whose changes, and the last of them that is counted from the beginning. */
interface Watched {
  readonly moves: Moves;
  readonly template: number;
  readonly seen: number;
  readonly next: Watcher | null;
}

/** Changes of the template from the last one back until another. */
interface Range {
  readonly last: number;
  readonly until: number;
  readonly weight: number;
  readonly closed: number;
}
