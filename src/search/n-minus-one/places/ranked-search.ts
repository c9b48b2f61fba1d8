import { isFree } from "./even.ts";
import type { Groups } from "./groups.ts";
import type { Kind } from "./kind.ts";
import type { Scorer } from "./score.ts";
import { ascending, lowerBound } from "./sorted.ts";
import { Specials } from "./specials.ts";
import type { NodeTable } from "./table.ts";

/** Values of `#metAs`; a group's is that many more. */
const notMet = 0;
const metAlone = 1;
const firstGroup = 2;

/** What one search found: the best, in the scheduler's order, and where the next search begins. */
export interface Found {
  readonly top: readonly number[];
  readonly next: number;
}

/**
 * The search for a kind of pod that every node takes that has room and is not special. Where it ends is told by counting,
 * looking at those nodes alone where it may be otherwise: touched ones, and those with pods it keeps apart from. Then the best are
 * told without going through the others: special ones one by one, and the best of each cell by rank.
 */
export class RankedSearch {
  readonly #table: NodeTable;
  readonly #enough: number;
  readonly #scorer: Scorer;
  readonly #groups: Groups;
  readonly #specials: Specials;
  /** Nodes that were looked at one by one, for as long as the search lasts: the first `#metCount`. */
  readonly #met: Int32Array;
  #metCount = 0;
  /** Node → whether it was, and its group where it has one of its own. */
  readonly #metAs: Int32Array;
  /** Where it begins and ends; those before the beginning count as if they came after all others. */
  #start = 0;
  #end = 0;
  readonly #window: { readonly nodes: Int32Array; count: number } = { nodes: new Int32Array(0), count: 0 };

  constructor({ table, enough, scorer, groups }: Shared) {
    this.#table = table;
    this.#enough = enough;
    this.#scorer = scorer;
    this.#groups = groups;
    this.#specials = new Specials(table.size);
    this.#met = new Int32Array(table.size);
    this.#metAs = new Int32Array(table.size);
  }

  from(kind: Kind, start: number): Found {
    const { size } = this.#table;
    this.#groups.begin(kind.weighed.length);
    this.#window.count = 0;
    this.#specials.gather(this.#table, kind.apartFrom);
    let next = this.#count(kind, start, size);
    if (next < 0 && start > 0) next = this.#count(kind, 0, start);
    if (next < 0) next = start;
    this.#start = start;
    this.#end = next > start ? next : next + size;
    this.#meetWeighed(kind);
    this.#meetCells(kind);
    const top = this.#best(kind);
    for (let i = 0; i < this.#metCount; i += 1) this.#metAs[this.#met[i] ?? 0] = notMet;
    this.#metCount = 0;
    return { top, next };
  }

  /** Those that pass from one node to another; the node that is one more than enough, -1: there is none. */
  #count({ demand, cells, apartFrom }: Kind, from: number, to: number): number {
    const { rankOf, nodes } = demand;
    const { nodes: specials, count } = this.#specials;
    const window = this.#window;
    let place = rankOf[from] ?? 0;
    for (let i = lowerBound(specials, count, from); ; i += 1) {
      const at = i < count ? Math.min(specials[i] ?? 0, to) : to;
      const stop = rankOf[at] ?? 0;
      const left = this.#enough - window.count;
      if (stop - place > left) {
        window.count = this.#enough;
        return nodes[place + left] ?? 0;
      }
      window.count += stop - place;
      if (at === to) return -1;
      place = rankOf[at + 1] ?? 0;
      this.#meet(at);
      const sum = demand.sumOn(at);
      if (sum < 0 || !isFree(apartFrom, at)) continue;
      if (window.count === this.#enough) return at;
      window.count += 1;
      this.#open(at, cells.of[at] ?? 0, sum);
    }
  }

  /** Nodes with pods that scores count there. */
  #meetWeighed(kind: Kind): void {
    const { size } = this.#table;
    for (let which = 0; which < kind.weighed.length; which += 1) {
      const counter = kind.weighed[which];
      if (counter === undefined || counter.filled === 0) continue;
      if (counter.domains.isByNode) {
        this.#meetCounted(kind, which, this.#start, Math.min(this.#end, size));
        if (this.#end > size) this.#meetCounted(kind, which, 0, this.#end - size);
        continue;
      }
      for (const at of Array.from(counter.nodes))
        if (this.#isWithin(at)) this.#meetNear(kind, which, at, counter.on(at));
    }
  }

  #meetCounted(kind: Kind, which: number, from: number, to: number): void {
    const counter = kind.weighed[which];
    if (counter === undefined) return;
    const { from: first, filled, room, shelf } = counter;
    const { numbers } = shelf;
    for (let place = lowerBound(numbers, first + filled, from, first); place < first + filled; place += 1) {
      const at = numbers[place] ?? 0;
      if (at >= to) return;
      this.#meetNear(kind, which, at, numbers[place + room] ?? 0);
    }
  }

  #meetNear({ weighed, demand, cells }: Kind, which: number, at: number, pods: number): void {
    const groups = this.#groups;
    if (this.#metAs[at] === notMet) {
      this.#meet(at);
      const sum = demand.sums[at] ?? -1;
      if (sum < 0) return;
      if (weighed.length === 1) {
        groups.add(groups.alike(at, cells.of[at] ?? 0, pods), at, sum);
        return;
      }
      this.#open(at, cells.of[at] ?? 0, sum);
    }
    const group = (this.#metAs[at] ?? 0) - firstGroup;
    if (group >= 0) groups.near[group * groups.counters + which] = pods;
  }

  /** The first of the best of each cell. */
  #meetCells({ demand, cells }: Kind): void {
    const { nodes, ends } = demand.rankingBy(cells);
    const { size } = this.#table;
    const start = this.#start;
    const last = this.#end;
    for (let cell = 0; cell < cells.count; cell += 1) {
      const end = ends[cell] ?? 0;
      for (let place = cells.starts[cell] ?? 0; place < end; place += 1) {
        const at = nodes[place] ?? 0;
        // Most stand outside the window, which needs no look at what is kept of each.
        if ((at < start ? at + size : at) >= last || this.#metAs[at] !== notMet) continue;
        this.#groups.openRanked(at, cell, demand.sums[at] ?? 0, place);
        break;
      }
    }
  }

  #best(kind: Kind): readonly number[] {
    const groups = this.#groups;
    const highest = this.#scorer.score(kind, groups, this.#window);
    const top: number[] = [];
    for (let group = 0; group < groups.count; group += 1) {
      if (groups.totals[group] !== highest) continue;
      if ((groups.place[group] ?? 0) < 0) groups.addBest(group, top);
      else this.#addEquals(kind, group, top);
    }
    return ascending(top);
  }

  #addEquals({ demand, cells }: Kind, group: number, top: number[]): void {
    const { nodes, ends } = demand.rankingBy(cells);
    const { sums } = demand;
    const { cell, most, place } = this.#groups;
    const end = ends[cell[group] ?? 0] ?? 0;
    for (let at = place[group] ?? 0; at < end; at += 1) {
      const node = nodes[at] ?? 0;
      if (sums[node] !== most[group]) return;
      if (this.#metAs[node] === notMet && this.#isWithin(node)) top.push(node);
    }
  }

  #isWithin(at: number): boolean {
    return (at < this.#start ? at + this.#table.size : at) < this.#end;
  }

  #meet(at: number): void {
    this.#metAs[at] = metAlone;
    this.#met[this.#metCount] = at;
    this.#metCount += 1;
  }

  /** A group of its own for a node that was met. */
  #open(at: number, cell: number, sum: number): void {
    const group = this.#groups.open(at, cell);
    this.#groups.add(group, at, sum);
    this.#metAs[at] = firstGroup + group;
  }
}

interface Shared {
  readonly table: NodeTable;
  readonly enough: number;
  readonly scorer: Scorer;
  readonly groups: Groups;
}
