import type { Cells } from "./cells.ts";

/** The nodes of each cell that have a sum, the highest first, and in order those with the same. */
export class Ranking {
  /** Of the cells when it was made. */
  readonly generation: number;
  /** Cell by cell: each has as many places as there are nodes in it. */
  readonly nodes: Int32Array;
  /** Cell → where its nodes end. */
  readonly ends: Int32Array;
  readonly #cells: Cells;
  /** By node; -1: it has none. */
  readonly #sums: Int16Array;

  constructor(cells: Cells, sums: Int16Array) {
    this.generation = cells.generation;
    this.nodes = new Int32Array(cells.order.length);
    this.ends = new Int32Array(cells.count);
    this.#cells = cells;
    this.#sums = sums;
    for (let cell = 0; cell < cells.count; cell += 1) this.#rank(cell);
  }

  /** By counting: sums are small. */
  #rank(cell: number): void {
    const sums = this.#sums;
    const { order, starts } = this.#cells;
    const from = starts[cell] ?? 0;
    const to = starts[cell + 1] ?? 0;
    let most = -1;
    for (let i = from; i < to; i += 1) most = Math.max(most, sums[order[i] ?? 0] ?? -1);
    const places = new Int32Array(most + 2);
    for (let i = from; i < to; i += 1) {
      const sum = (sums[order[i] ?? 0] ?? -1) + 1;
      places[sum] = (places[sum] ?? 0) + 1;
    }
    let place = from;
    for (let sum = places.length - 1; sum >= 0; sum -= 1) {
      const next = place + (places[sum] ?? 0);
      if (sum === 0) this.ends[cell] = place;
      places[sum] = place;
      place = next;
    }
    for (let i = from; i < to; i += 1) {
      const node = order[i] ?? 0;
      const sum = (sums[node] ?? -1) + 1;
      this.nodes[places[sum] ?? 0] = node;
      places[sum] = (places[sum] ?? 0) + 1;
    }
  }

  /** A node has a sum now. */
  add(node: number): void {
    const cell = this.#cells.of[node] ?? 0;
    const end = this.ends[cell] ?? 0;
    const place = this.#placeOf(node, cell);
    this.nodes.copyWithin(place + 1, place, end);
    this.nodes[place] = node;
    this.ends[cell] = end + 1;
  }

  /** Its sum is about to change. */
  remove(node: number): void {
    const cell = this.#cells.of[node] ?? 0;
    const end = this.ends[cell] ?? 0;
    const place = this.#placeOf(node, cell);
    this.nodes.copyWithin(place, place + 1, end);
    this.ends[cell] = end - 1;
  }

  /** Where it stands among the others of its cell, or would stand. */
  #placeOf(node: number, cell: number): number {
    const sum = this.#sums[node] ?? -1;
    let low = this.#cells.starts[cell] ?? 0;
    let high = this.ends[cell] ?? 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.nodes[middle] ?? 0;
      const otherSum = this.#sums[other] ?? -1;
      if (otherSum > sum || (otherSum === sum && other < node)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
