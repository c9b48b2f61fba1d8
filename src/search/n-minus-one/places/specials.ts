import type { Counter } from "./counter.ts";
import type { NodeTable } from "./table.ts";

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

  gather({ touched, touchedCount }: NodeTable, counters: readonly Counter[]): void {
    this.count = 0;
    this.#merge(touched, 0, touchedCount);
    for (let i = 0; i < counters.length; i += 1) {
      const counter = counters[i];
      if (counter === undefined || counter.filled === 0) continue;
      const { from, filled, shelf, domains } = counter;
      if (domains.isByNode) this.#merge(shelf.numbers, from, from + filled);
      else {
        const nodes = Int32Array.from(counter.nodes).sort();
        this.#merge(nodes, 0, nodes.length);
      }
    }
  }

  /** Those of a list between two of its places. */
  #merge(more: Int32Array, from: number, to: number): void {
    if (from === to) return;
    const { nodes, count } = this;
    const merged = this.#spare;
    let place = 0;
    let known = 0;
    let other = from;
    while (known < count || other < to) {
      const one = known < count ? (nodes[known] ?? 0) : Number.MAX_SAFE_INTEGER;
      const two = other < to ? (more[other] ?? 0) : Number.MAX_SAFE_INTEGER;
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
