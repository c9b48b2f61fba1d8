import type { Counter } from "./counter.ts";

/** Nodes of a window, in groups that score alike but for what each scores alone: beside each other. */
export class Groups {
  count = 0;
  /** One that stands for all, and its cell. */
  readonly node: Int32Array;
  readonly cell: Int32Array;
  /** The highest sum in the group; -1: no node of it was found. */
  readonly most: Int32Array;
  /** Its place in the ranking, where the others of its cell with the same sum follow; -1: they were added one by one. */
  readonly place: Int32Array;
  /** The last node with it. */
  readonly last: Int32Array;
  /** Node → another with as high a sum in its group, found before; -1: none. */
  readonly before: Int32Array;
  /** What the whole group scores. */
  readonly totals: Float64Array;
  /** So many counters are looked at on each node: group by group, how many pods each has there. */
  counters = 0;
  near = new Int32Array(0);
  /** By cell and pods near: the group that was opened last for such nodes. */
  readonly #alike: Int32Array;

  constructor(nodes: number) {
    this.node = new Int32Array(nodes);
    this.cell = new Int32Array(nodes);
    this.most = new Int32Array(nodes);
    this.place = new Int32Array(nodes);
    this.last = new Int32Array(nodes);
    this.before = new Int32Array(nodes);
    this.totals = new Float64Array(nodes);
    this.#alike = new Int32Array(likesMax * nodes);
  }

  begin(counters: number): void {
    this.count = 0;
    this.counters = counters;
    if (this.near.length < counters * this.node.length) this.near = new Int32Array(counters * this.node.length);
  }

  /** An empty group, with no pod near. */
  open(node: number, cell: number): number {
    const group = this.count;
    this.count += 1;
    this.node[group] = node;
    this.cell[group] = cell;
    this.most[group] = -1;
    this.place[group] = -1;
    for (let i = group * this.counters; i < this.count * this.counters; i += 1) this.near[i] = 0;
    return group;
  }

  /** The group of nodes of a cell that have so many pods near by the only counter: an empty one when there is none. */
  alike(node: number, cell: number, pods: number): number {
    if (pods < 0 || pods >= likesMax) return this.#openNear(node, cell, pods);
    const key = cell * likesMax + pods;
    const known = this.#alike[key] ?? 0;
    // What is left of earlier searches is told by what it stands for.
    if (known < this.count && this.cell[known] === cell && this.near[known] === pods && this.place[known] === -1)
      return known;
    const group = this.#openNear(node, cell, pods);
    this.#alike[key] = group;
    return group;
  }

  #openNear(node: number, cell: number, pods: number): number {
    const group = this.open(node, cell);
    this.near[group] = pods;
    return group;
  }

  /** As the counters say of its node. */
  countNear(group: number, weighed: readonly Counter[]): void {
    const node = this.node[group] ?? 0;
    for (let i = 0; i < weighed.length; i += 1) this.near[group * this.counters + i] = weighed[i]?.on(node) ?? 0;
  }

  /** A group of nodes of a cell that are not added: the first of the best, its sum and its place. */
  openRanked(node: number, cell: number, sum: number, place: number): void {
    const group = this.open(node, cell);
    this.most[group] = sum;
    this.place[group] = place;
  }

  add(group: number, node: number, sum: number): void {
    const { most, last, before } = this;
    const highest = most[group] ?? 0;
    if (sum < highest) return;
    before[node] = sum === highest ? (last[group] ?? 0) : -1;
    last[group] = node;
    most[group] = sum;
  }

  /** Adds the best nodes of a group whose nodes were added. */
  addBest(group: number, found: number[]): void {
    for (let at = this.last[group] ?? -1; at >= 0; at = this.before[at] ?? -1) found.push(at);
  }
}

/** With more pods near, nodes have groups of their own. */
const likesMax = 8;
