import type { Cells } from "./cells.ts";

/**
 * Sums of nodes, cell by cell, as the leaves of a tree: each inner node has the higher of the two below it, so that the highest
 * of any stretch is found by looking at few.
 */
export class Ranking {
  /** Of the cells when it was made. */
  readonly generation: number;
  readonly #cells: Cells;
  /** A power of two. */
  readonly #leaves: number;
  /** The root is 1; below n are 2n and 2n + 1. */
  readonly #tree: Int16Array;

  constructor(cells: Cells, sums: Int16Array) {
    this.generation = cells.generation;
    this.#cells = cells;
    this.#leaves = 2 ** Math.ceil(Math.log2(sums.length));
    this.#tree = new Int16Array(2 * this.#leaves).fill(-1);
    for (let place = 0; place < sums.length; place += 1) {
      this.#tree[this.#leaves + place] = sums[cells.order[place] ?? 0] ?? -1;
    }
    for (let at = this.#leaves - 1; at > 0; at -= 1) this.#tree[at] = this.#higherBelow(at);
  }

  set(node: number, sum: number): void {
    let at = this.#leaves + (this.#cells.placeOf[node] ?? 0);
    this.#tree[at] = sum;
    for (at >>= 1; at > 0; at >>= 1) this.#tree[at] = this.#higherBelow(at);
  }

  /** The highest sum of these places; -1: there is none. */
  highest(from: number, to: number): number {
    const tree = this.#tree;
    let most = -1;
    let low = from + this.#leaves;
    let high = to + this.#leaves;
    for (; low < high; low >>= 1, high >>= 1) {
      if (low & 1) {
        most = Math.max(most, tree[low] ?? -1);
        low += 1;
      }
      if (high & 1) {
        high -= 1;
        most = Math.max(most, tree[high] ?? -1);
      }
    }
    return most;
  }

  /** The first of these places with such a sum or a higher one; `to`: there is none. */
  next(from: number, to: number, sum: number): number {
    const tree = this.#tree;
    for (let place = from; place < to; ) {
      let at = place + this.#leaves;
      let width = 1;
      for (; (at & 1) === 0; at >>= 1) width *= 2;
      if ((tree[at] ?? -1) >= sum) {
        while (at < this.#leaves) at = (tree[2 * at] ?? -1) >= sum ? 2 * at : 2 * at + 1;
        return Math.min(at - this.#leaves, to);
      }
      place += width;
    }
    return to;
  }

  /** As `next`, past nodes that are marked. */
  nextUnmarked(from: number, to: number, sum: number, marked: Uint8Array): number {
    let place = this.next(from, to, sum);
    while (place < to && marked[this.nodeAt(place)] === 1) place = this.next(place + 1, to, sum);
    return place;
  }

  /** The highest sum of these places' nodes that are not marked; -1: there is none. */
  highestUnmarked(from: number, to: number, marked: Uint8Array): number {
    const most = this.highest(from, to);
    if (most < 0) return -1;
    const first = this.next(from, to, most);
    if (marked[this.nodeAt(first)] === 0 || this.nextUnmarked(first + 1, to, most, marked) < to) return most;
    return Math.max(this.highestUnmarked(from, first, marked), this.highestUnmarked(first + 1, to, marked));
  }

  nodeAt(place: number): number {
    return this.#cells.order[place] ?? 0;
  }

  #higherBelow(at: number): number {
    return Math.max(this.#tree[2 * at] ?? -1, this.#tree[2 * at + 1] ?? -1);
  }
}
