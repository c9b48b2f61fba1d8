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
    for (; known < count && other < to; place += 1) {
      const one = nodes[known] ?? 0;
      const two = more[other] ?? 0;
      merged[place] = Math.min(one, two);
      if (one <= two) known += 1;
      if (two <= one) other += 1;
    }
    for (; known < count; known += 1, place += 1) merged[place] = nodes[known] ?? 0;
    for (; other < to; other += 1, place += 1) merged[place] = more[other] ?? 0;
    this.count = place;
    this.nodes = merged;
    this.#spare = nodes;
  }
}
