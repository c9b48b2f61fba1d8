import { fewestOf, hasCompany, isEven, isFree } from "./even.ts";
import { Groups } from "./groups.ts";
import { closedTo, type Kind } from "./kind.ts";
import { type Found, RankedSearch } from "./ranked-search.ts";
import { Scorer } from "./score.ts";
import { ascending, lowerBound } from "./sorted.ts";
import { Specials } from "./specials.ts";
import type { NodeTable } from "./table.ts";

const unknown = -2;
const shut = -1;

/**
 * Looks for the nodes a pod may go to, and the best of them. Nodes of one cell that are not special are alike but for what each
 * scores alone: filters are asked once a cell, and the nodes are gone through. Special ones are looked at one by one. Where
 * all that are not special pass, they need not be gone through: see RankedSearch.
 */
export class Search {
  readonly #table: NodeTable;
  readonly #enough: number;
  readonly #ranked: RankedSearch;
  readonly #scorer: Scorer;
  readonly #specials: Specials;
  readonly #groups: Groups;
  /** By cell: its group, or that it is shut or unknown. */
  #groupOf = new Int32Array(0);
  /** What the last search found, in its order: the first `count`. */
  readonly #found: { readonly nodes: Int32Array; count: number };
  #fewest: readonly number[] = [];
  /** How many are enough, and where the next search begins; -1: it went all the way round. */
  #most = 0;
  #next = -1;

  constructor(table: NodeTable, enough: number) {
    this.#table = table;
    this.#enough = enough;
    this.#scorer = new Scorer(table.size);
    this.#groups = new Groups(table.size);
    this.#specials = new Specials(table.size);
    const { size } = table;
    this.#ranked = new RankedSearch({ table, enough, scorer: this.#scorer, groups: this.#groups });
    this.#found = { nodes: new Int32Array(size), count: 0 };
  }

  /** All nodes that pass, in order. */
  all(kind: Kind): Int32Array {
    this.#begin(kind);
    this.#look(kind, 0, this.#table.size);
    return this.#found.nodes.slice(0, this.#found.count);
  }

  /** One search that begins at a node. */
  from(kind: Kind, start: number): Found {
    if (kind.isRanked) {
      this.#catchUp(kind);
      return this.#ranked.from(kind, start);
    }
    this.#begin(kind);
    this.#look(kind, start, this.#enough);
    return { top: this.#best(kind), next: this.#next < 0 ? start : this.#next };
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
    return ascending([...top]);
  }

  /** The group of each: special nodes of one cell with the same counts are alike too. */
  #grouped({ cells, fine, weighed }: Kind, nodes: Int32Array): Int32Array {
    const groups = new Map<string, number>();
    this.#groups.begin(weighed.length);
    return nodes.map((at) => {
      const cell = cells.of[at] ?? 0;
      let alike = String(cell);
      for (const counter of fine) alike += ` ${counter.on(at)}`;
      let group = groups.get(alike);
      if (group === undefined) {
        group = this.#groups.open(at, cell);
        this.#groups.countNear(group, weighed);
        groups.set(alike, group);
      }
      return group;
    });
  }

  #catchUp(kind: Kind): void {
    const { demand, watchers } = kind;
    demand.catchUp();
    const closed = closedTo(kind, this.#table);
    for (let i = 0; i < watchers.length; i += 1) watchers[i]?.catchUp(closed);
  }

  #begin(kind: Kind): void {
    this.#catchUp(kind);
    this.#fewest = kind.filters.length === 0 ? none : kind.filters.map(fewestOf);
    this.#specials.gather(this.#table, kind.fine);
  }

  /** Goes round from a node on until it finds one more than enough: the next search begins there. */
  #look(kind: Kind, start: number, enough: number): void {
    const { cells } = kind;
    if (cells.count > this.#groupOf.length) this.#groupOf = new Int32Array(cells.count);
    this.#groupOf.fill(unknown, 0, cells.count);
    this.#groups.begin(kind.weighed.length);
    this.#found.count = 0;
    this.#most = enough;
    this.#next = -1;
    if (this.#lookBetween(kind, start, this.#table.size) && start > 0) this.#lookBetween(kind, 0, start);
  }

  /** False: it need not look further. */
  #lookBetween(kind: Kind, from: number, to: number): boolean {
    const { rankOf } = kind.demand;
    const { nodes, count } = this.#specials;
    let place = rankOf[from] ?? 0;
    for (let i = lowerBound(nodes, count, from); i < count; i += 1) {
      const special = nodes[i] ?? 0;
      if (special >= to) break;
      if (!this.#goThrough(kind, place, rankOf[special] ?? 0) || !this.#lookAt(kind, special)) return false;
      place = rankOf[special + 1] ?? 0;
    }
    return this.#goThrough(kind, place, rankOf[to] ?? 0);
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
        group = this.#passes(kind, at) ? groups.open(at, cell) : shut;
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
    const sum = kind.demand.sumOn(at);
    if (sum < 0 || !this.#passes(kind, at)) return true;
    const found = this.#found;
    if (found.count === this.#most) {
      this.#next = at;
      return false;
    }
    found.nodes[found.count] = at;
    found.count += 1;
    const group = this.#groups.open(at, kind.cells.of[at] ?? 0);
    this.#groups.countNear(group, kind.weighed);
    this.#groups.add(group, at, sum);
    return true;
  }

  /** Filters that look at pods elsewhere. */
  #passes(kind: Kind, at: number): boolean {
    const { filters, apartFrom, affinity } = kind;
    for (let i = 0; i < filters.length; i += 1) {
      const spread = filters[i];
      if (spread !== undefined && !isEven(spread, at, this.#fewest[i] ?? 0)) return false;
    }
    return isFree(apartFrom, at) && (affinity.length === 0 || hasCompany(kind, at));
  }

  /** The best of the nodes found, in the scheduler's order. */
  #best(kind: Kind): readonly number[] {
    const groups = this.#groups;
    // A single one is taken without scores, which would make no difference.
    const highest = this.#scorer.score(kind, groups, this.#found);
    const top: number[] = [];
    for (let group = 0; group < groups.count; group += 1) {
      if (groups.totals[group] === highest && groups.most[group] !== -1) groups.addBest(group, top);
    }
    return ascending(top);
  }
}

const none: readonly number[] = [];
