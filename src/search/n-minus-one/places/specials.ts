import type { Counter } from "./counter.ts";

/** Nodes that have to be looked at one by one, in order: those that are touched, and where fine counters have pods. */
export class Specials {
  /** The first `count`. */
  nodes: Int32Array;
  count = 0;
  #spare: Int32Array;

  constructor(size: number) {
    this.nodes = new Int32Array(size);
    this.#spare = new Int32Array(size);
  }

  gather(touched: readonly number[], counters: readonly Counter[]): void {
    this.count = 0;
    this.#merge(touched);
    for (const counter of counters) {
      this.#merge(counter.domains.isByNode ? counter.filled : counter.nodes.toSorted((a, b) => a - b));
    }
  }

  #merge(more: readonly number[]): void {
    if (more.length === 0) return;
    const { nodes, count } = this;
    const merged = this.#spare;
    let place = 0;
    let known = 0;
    let other = 0;
    while (known < count || other < more.length) {
      const one = known < count ? (nodes[known] ?? 0) : Number.MAX_SAFE_INTEGER;
      const two = other < more.length ? (more[other] ?? 0) : Number.MAX_SAFE_INTEGER;
      merged[place] = Math.min(one, two);
      place += 1;
      if (one <= two) known += 1;
      if (two <= one) other += 1;
    }
    this.count = place;
    this.nodes = merged;
    this.#spare = nodes;
  }
}
