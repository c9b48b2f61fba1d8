import { fewestOf, hasCompany, isEven } from "./even.ts";
import type { Kind } from "./kind.ts";
import { Groups, Scorer } from "./score.ts";
import { Specials } from "./specials.ts";
import type { NodeTable } from "./table.ts";

const unknown = -2;
const shut = -1;

/**
 * Looks for the nodes a pod may go to, and the best of them. Nodes of one cell that are not special are alike but for what each
 * scores alone. Where all of those pass, they are counted by their places among the demand's nodes and the best of them are
 * found by rank; else filters are asked once a cell, and the nodes are gone through. Special ones are looked at one by one.
 */
export class Search {
  readonly #table: NodeTable;
  readonly #enough: number;
  readonly #scorer: Scorer;
  readonly #specials = new Specials();
  readonly #groups: Groups;
  /** By cell: its group, or that it is shut or unknown. */
  #groupOf = new Int32Array(0);
  /** Special ones that were met by the last search, for as long as it lasts. */
  readonly #met: number[] = [];
  readonly #isMet: Uint8Array;
  /** What the last search found, in its order: the first `count`. The nodes are told only where they are gone through. */
  readonly #found: { readonly nodes: Int32Array; count: number };
  #fewest: readonly number[] = [];
  /** How many are enough, whether the nodes are gone through, and where the next search begins; -1: it went all the way round. */
  #most = 0;
  #isThrough = false;
  #next = -1;

  constructor(table: NodeTable, enough: number) {
    this.#table = table;
    this.#enough = enough;
    this.#scorer = new Scorer(table.size);
    this.#groups = new Groups(table.size);
    this.#isMet = new Uint8Array(table.size);
    this.#found = { nodes: new Int32Array(table.size), count: 0 };
  }

  /** All nodes that pass, in order. */
  all(kind: Kind): Int32Array {
    this.#begin(kind);
    this.#isThrough = true;
    this.#look(kind, 0, this.#table.size);
    return this.#found.nodes.slice(0, this.#found.count);
  }

  /** One search that begins at a node: the best of what it finds, in order, and where the next one begins. */
  from(kind: Kind, start: number): { readonly top: readonly number[]; readonly next: number } {
    this.#begin(kind);
    this.#look(kind, start, this.#enough);
    return { top: this.#best(kind, start), next: this.#next < 0 ? start : this.#next };
  }

  /** The best of the windows from each of these nodes on: those that all pass, and are more than enough. */
  anyStart(kind: Kind, passing: Int32Array): readonly number[] {
    this.#begin(kind);
    const { length } = passing;
    const groups = this.#groups;
    const groupAt = this.#grouped(kind, passing);
    const sumAt = passing.map((at) => kind.demand.sumOn(at));
    const round = new Int32Array(2 * length);
    round.set(passing, 0);
    round.set(passing, length);
    const top = new Set<number>();
    const best: number[] = [];
    for (let first = 0; first < length; first += 1) {
      groups.most.fill(-1, 0, groups.count);
      for (let i = first; i < first + this.#enough; i += 1) {
        const place = i < length ? i : i - length;
        groups.add(groupAt[place] ?? 0, passing[place] ?? 0, sumAt[place] ?? 0);
      }
      const window = { nodes: round.subarray(first, first + this.#enough), count: this.#enough };
      const highest = this.#scorer.score(kind, groups, window);
      best.length = 0;
      for (let group = 0; group < groups.count; group += 1) {
        if (groups.totals[group] === highest && groups.most[group] !== -1) groups.addBest(group, best);
      }
      for (const at of best) top.add(at);
    }
    return [...top].sort(ascending);
  }

  /** The group of each: special nodes of one cell with the same counts are alike too. */
  #grouped({ cells, fine }: Kind, nodes: Int32Array): Int32Array {
    const groups = new Map<string, number>();
    this.#groups.count = 0;
    let special = this.#specials.startAt(0);
    return nodes.map((at) => {
      if (at > special) special = this.#specials.from(at);
      let alike = String(cells.of[at]);
      if (at === special) for (const counter of fine) alike += ` ${counter.on(at)}`;
      const group = groups.get(alike) ?? this.#groups.open(at);
      groups.set(alike, group);
      return group;
    });
  }

  #begin(kind: Kind): void {
    kind.demand.catchUp();
    for (const watcher of kind.watchers) watcher.catchUp();
    this.#fewest = kind.filters.length === 0 ? none : kind.filters.map(fewestOf);
    this.#specials.begin(kind, this.#table.touched);
    this.#isThrough = !kind.isRanked;
  }

  /** Goes round from a node on until it finds one more than enough: the next search begins there. */
  #look(kind: Kind, start: number, enough: number): void {
    const { cells } = kind;
    if (this.#isThrough) {
      if (cells.count > this.#groupOf.length) this.#groupOf = new Int32Array(cells.count);
      this.#groupOf.fill(unknown, 0, cells.count);
    }
    this.#groups.count = 0;
    this.#found.count = 0;
    this.#most = enough;
    this.#next = -1;
    const { size } = this.#table;
    if (this.#lookBetween(kind, start, size) && start > 0) this.#lookBetween(kind, 0, start);
  }

  /** False: it need not look further. */
  #lookBetween(kind: Kind, from: number, to: number): boolean {
    const { rankOf } = kind.demand;
    const end = rankOf[to] ?? 0;
    let place = rankOf[from] ?? 0;
    for (let special = this.#specials.startAt(from); ; special = this.#specials.from(special + 1)) {
      const stop = special < to ? (rankOf[special] ?? 0) : end;
      if (!(this.#isThrough ? this.#goThrough(kind, place, stop) : this.#count(kind, place, stop))) return false;
      if (special >= to) return true;
      if (!this.#lookAt(kind, special)) return false;
      place = rankOf[special + 1] ?? 0;
    }
  }

  /** Nodes between special ones, by their places: all of them pass. */
  #count({ demand }: Kind, from: number, to: number): boolean {
    const left = this.#most - this.#found.count;
    if (to - from > left) {
      this.#found.count = this.#most;
      this.#next = demand.nodes[from + left] ?? 0;
      return false;
    }
    this.#found.count += to - from;
    return true;
  }

  #goThrough(kind: Kind, from: number, to: number): boolean {
    const { nodes, sums } = kind.demand;
    const { of: cellOf } = kind.cells;
    const groupOf = this.#groupOf;
    const groups = this.#groups;
    const found = this.#found;
    for (let place = from; place < to; place += 1) {
      const at = nodes[place] ?? 0;
      const cell = cellOf[at] ?? 0;
      let group = groupOf[cell] ?? 0;
      if (group === unknown) {
        group = this.#passes(kind, at) ? groups.open(at) : shut;
        groupOf[cell] = group;
      }
      if (group === shut) continue;
      if (found.count === this.#most) {
        this.#next = at;
        return false;
      }
      found.nodes[found.count] = at;
      found.count += 1;
      groups.add(group, at, sums[at] ?? 0);
    }
    return true;
  }

  #lookAt(kind: Kind, at: number): boolean {
    if (!this.#isThrough) {
      this.#met.push(at);
      this.#isMet[at] = 1;
    }
    const sum = kind.demand.sumOn(at);
    if (sum < 0 || !this.#passes(kind, at)) return true;
    const found = this.#found;
    if (found.count === this.#most) {
      this.#next = at;
      return false;
    }
    found.nodes[found.count] = at;
    found.count += 1;
    this.#groups.add(this.#groups.open(at), at, sum);
    return true;
  }

  /** Filters that look at pods elsewhere. */
  #passes(kind: Kind, at: number): boolean {
    const { filters, repelledBy, antiAffinity, affinity } = kind;
    for (let i = 0; i < filters.length; i += 1) {
      const spread = filters[i];
      if (spread !== undefined && !isEven(spread, at, this.#fewest[i] ?? 0)) return false;
    }
    for (const counter of repelledBy) if (counter.on(at) > 0) return false;
    for (const counter of antiAffinity) if (counter.on(at) > 0) return false;
    return affinity.length === 0 || hasCompany(kind, at);
  }

  /** The best of the nodes found, in the scheduler's order. */
  #best(kind: Kind, start: number): readonly number[] {
    const groups = this.#groups;
    if (!this.#isThrough) this.#groupByRank(kind, start);
    // A single one is taken without scores, which would make no difference.
    const highest = this.#scorer.score(kind, groups, this.#found);
    const top: number[] = [];
    for (let group = 0; group < groups.count; group += 1) {
      if (groups.totals[group] !== highest || groups.most[group] === -1) continue;
      const cell = groups.cell[group] ?? -1;
      if (cell < 0) groups.addBest(group, top);
      else this.#addBest(kind, this.#stretchOf(kind, cell, start), groups.most[group] ?? 0, top);
    }
    for (const at of this.#met) this.#isMet[at] = 0;
    this.#met.length = 0;
    return top.length > 1 ? top.sort(ascending) : top;
  }

  /** Nodes that were counted only, as groups: those of each cell between the start and where the search ended. */
  #groupByRank(kind: Kind, start: number): void {
    const ranking = kind.demand.rankingBy(kind.cells);
    for (let cell = 0; cell < kind.cells.count; cell += 1) {
      const { first, last, again, end } = this.#stretchOf(kind, cell, start);
      const sum = Math.max(
        ranking.highestUnmarked(first, last, this.#isMet),
        ranking.highestUnmarked(again, end, this.#isMet),
      );
      if (sum < 0) continue;
      const place = ranking.nextUnmarked(first, last, sum, this.#isMet);
      const best = place < last ? place : ranking.nextUnmarked(again, end, sum, this.#isMet);
      this.#groups.openRanked(cell, ranking.nodeAt(best), sum);
    }
  }

  #addBest({ demand, cells }: Kind, { first, last, again, end }: Stretch, sum: number, top: number[]): void {
    const ranking = demand.rankingBy(cells);
    const add = (from: number, to: number): void => {
      let place = ranking.nextUnmarked(from, to, sum, this.#isMet);
      for (; place < to; place = ranking.nextUnmarked(place + 1, to, sum, this.#isMet)) top.push(ranking.nodeAt(place));
    };
    add(first, last);
    add(again, end);
  }

  /** The places of a cell that the search has passed: from the start on, and once more from the beginning of the cell on. */
  #stretchOf({ cells }: Kind, cell: number, start: number): Stretch {
    const stop = this.#next < 0 ? start : this.#next;
    const first = cells.placeFrom(cell, start);
    const end = cells.placeFrom(cell, stop);
    if (stop > start) return { first, last: end, again: end, end };
    return { first, last: cells.starts[cell + 1] ?? 0, again: cells.starts[cell] ?? 0, end };
  }
}

interface Stretch {
  readonly first: number;
  readonly last: number;
  readonly again: number;
  readonly end: number;
}

const none: readonly number[] = [];

function ascending(a: number, b: number): number {
  return a - b;
}
