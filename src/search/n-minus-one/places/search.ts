import { fewestOf, hasCompany, isEven } from "./even.ts";
import type { Kind } from "./kind.ts";
import { Groups, Scorer } from "./score.ts";
import { lowerBound } from "./sorted.ts";
import type { NodeTable } from "./table.ts";

/** Nodes to look at: the first `count`, in order. */
interface Nodes {
  readonly nodes: Int32Array;
  readonly count: number;
}

const unknown = -2;
const shut = -1;

/**
 * Looks for the nodes a pod may go to, and the best of them. Nodes of one cell where no fine counter has pods are alike but for
 * what each scores alone, so that filters and scaled scores are asked once a cell; the few others, called special, one by one.
 */
export class Search {
  readonly #enough: number;
  readonly #scorer: Scorer;
  readonly #groups: Groups;
  /** By cell: its group, or that it is shut or unknown. */
  #groupOf: Int32Array;
  /** 1: special. Groups of special nodes are told by node. */
  readonly #isSpecial: Uint8Array;
  readonly #specials: Int32Array;
  #specialCount = 0;
  readonly #found: Int32Array;
  #fewest: readonly number[] = [];

  constructor({ size }: NodeTable, enough: number) {
    this.#enough = enough;
    this.#scorer = new Scorer(size);
    this.#groups = new Groups(size);
    this.#groupOf = new Int32Array(size);
    this.#isSpecial = new Uint8Array(size);
    this.#specials = new Int32Array(size);
    this.#found = new Int32Array(size);
  }

  /** All nodes that pass, in order. */
  all(kind: Kind): Int32Array {
    this.#begin(kind);
    const { nodes, count } = kind.demand;
    const found = this.#found.slice(0, this.#look(kind, { nodes, count }, 0, count).count);
    this.#end();
    return found;
  }

  /** One search that begins at a node: the best of what it finds, in order, and where the next one begins. */
  from(kind: Kind, start: number): { readonly top: readonly number[]; readonly next: number } {
    this.#begin(kind);
    const { nodes, count } = kind.demand;
    const window = this.#look(kind, { nodes, count }, lowerBound(nodes, count, start), this.#enough);
    const top = this.#best(kind, window.count);
    this.#end();
    return { top, next: window.next < 0 ? start : window.next };
  }

  /** The best of the windows from each of these nodes on: those that all pass, and are more than enough. */
  anyStart(kind: Kind, passing: Int32Array): readonly number[] {
    const list = { nodes: passing, count: passing.length };
    const top = new Set<number>();
    this.#begin(kind);
    for (let first = 0; first < passing.length; first += 1) {
      for (const at of this.#best(kind, this.#look(kind, list, first, this.#enough).count)) top.add(at);
    }
    this.#end();
    return [...top].sort(ascending);
  }

  #begin(kind: Kind): void {
    kind.demand.catchUp();
    this.#fewest = kind.filters.map(fewestOf);
    for (const { domains, filled } of kind.fine) {
      for (const domain of filled) {
        for (const at of domains.nodes[domain] ?? []) {
          if (this.#isSpecial[at] === 1) continue;
          this.#isSpecial[at] = 1;
          this.#specials[this.#specialCount] = at;
          this.#specialCount += 1;
        }
      }
    }
  }

  #end(): void {
    for (let i = 0; i < this.#specialCount; i += 1) this.#isSpecial[this.#specials[i] ?? 0] = 0;
    this.#specialCount = 0;
  }

  /** Goes round from the `first` of the nodes on until it finds one more than enough: the next search begins there. */
  #look(
    kind: Kind,
    { nodes, count }: Nodes,
    first: number,
    enough: number,
  ): { readonly count: number; readonly next: number } {
    const { sums } = kind.demand;
    const { of: cellOf, count: cells } = kind.cells;
    if (cells > this.#groupOf.length) this.#groupOf = new Int32Array(2 * cells);
    const groupOf = this.#groupOf;
    const isSpecial = this.#isSpecial;
    const { size, most, equals, best } = this.#groups;
    const found = this.#found;
    this.#groups.count = 0;
    groupOf.fill(unknown, 0, cells);
    let passed = 0;
    for (let i = 0; i < count; i += 1) {
      const at = nodes[first + i < count ? first + i : first + i - count] ?? 0;
      let group: number;
      if (isSpecial[at] === 1) {
        if (!this.#passes(kind, at)) continue;
        if (passed === enough) return { count: passed, next: at };
        group = this.#groups.open(at);
      } else {
        const cell = cellOf[at] ?? 0;
        group = groupOf[cell] ?? 0;
        if (group === unknown) {
          group = this.#passes(kind, at) ? this.#groups.open(at) : shut;
          groupOf[cell] = group;
        }
        if (group === shut) continue;
        if (passed === enough) return { count: passed, next: at };
      }
      found[passed] = at;
      passed += 1;
      size[group] = (size[group] ?? 0) + 1;
      const sum = sums[at] ?? 0;
      const highest = most[group] ?? 0;
      if (sum > highest) {
        most[group] = sum;
        equals[group] = 1;
        best[group] = at;
      } else if (sum === highest) equals[group] = (equals[group] ?? 0) + 1;
    }
    return { count: passed, next: -1 };
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

  /** The best of the nodes found, in order. */
  #best(kind: Kind, count: number): readonly number[] {
    const groups = this.#groups;
    const nodes = this.#found;
    if (count <= 1) return count === 0 ? [] : [nodes[0] ?? 0];
    const highest = this.#scorer.score(kind, groups, { nodes, count });
    const top: number[] = [];
    let isShared = false;
    for (let group = 0; group < groups.count; group += 1) {
      if (groups.size[group] === 0 || groups.totals[group] !== highest) continue;
      if (groups.equals[group] === 1) top.push(groups.best[group] ?? 0);
      else isShared = true;
    }
    if (isShared) this.#addEquals(kind, count, highest, top);
    return top.length > 1 ? top.sort(ascending) : top;
  }

  /** Those of the groups with more than one best node. */
  #addEquals({ cells, demand: { sums } }: Kind, count: number, highest: number, top: number[]): void {
    const { totals, most, equals } = this.#groups;
    for (let i = 0; i < count; i += 1) {
      const at = this.#found[i] ?? 0;
      if (this.#isSpecial[at] === 1) continue;
      const group = this.#groupOf[cells.of[at] ?? 0] ?? 0;
      if (totals[group] === highest && (equals[group] ?? 0) > 1 && sums[at] === most[group]) top.push(at);
    }
  }
}

function ascending(a: number, b: number): number {
  return a - b;
}
