import { byCodeUnit } from "../../../base/ordering.ts";
import type { Minor } from "../../../model/cluster.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";
import { aloneScore } from "./alone.ts";
import type { Cells } from "./cells.ts";
import type { Fixed } from "./fixed.ts";
import { Ranking } from "./ranking.ts";
import type { NodeTable, Room } from "./table.ts";

/** An amount of something that a node must have left. */
export interface Ask {
  readonly room: Room;
  readonly amount: number;
  readonly name: string;
}

/**
 * What pods ask of a node by itself, whatever runs on others: those that ask alike share one. Which nodes have room, and what
 * they score alone, is kept and follows the table's changes.
 */
export class Demand {
  readonly fixed: Fixed;
  readonly asks: readonly Ask[];
  /** Nodes that are open to it and have room: the first `count`, in order. */
  readonly nodes: Int32Array;
  count = 0;
  /** Node → how many of those are before it. */
  readonly rankOf: Int32Array;
  /** Scores that other nodes do not scale: least allocated, balanced allocation, images. -1: not among `nodes`. */
  readonly sums: Int16Array;
  readonly #table: NodeTable;
  readonly #minor: Minor;
  /** One that asks so. */
  readonly template: PodTemplate;
  readonly #images: Int32Array | null;
  readonly #rankings = new Map<Cells, Ranking>();
  /** How many of the table's changes are in it. */
  #seen: number;

  constructor({ table, minor, template, fixed, images }: Asked) {
    this.#table = table;
    this.#minor = minor;
    this.template = template;
    this.#images = images;
    this.fixed = fixed;
    this.asks = asksOf(table, template);
    this.nodes = new Int32Array(table.size);
    this.sums = new Int16Array(table.size).fill(-1);
    this.rankOf = new Int32Array(table.size + 1);
    for (let at = 0; at < table.size; at += 1) if (this.#fits(at)) this.sums[at] = this.#sum(at);
    this.#list();
    this.#seen = table.changed.length;
  }

  /** Takes in what has changed; what is only touched is not in it. */
  catchUp(): void {
    const { changed } = this.#table;
    const isMuch = changed.length - this.#seen > fewMax;
    for (; this.#seen < changed.length; this.#seen += 1) {
      const at = changed[this.#seen] ?? 0;
      if (isMuch) this.sums[at] = this.#fits(at) ? this.#sum(at) : -1;
      else this.#update(at);
    }
    if (!isMuch) return;
    this.#rankings.clear();
    this.#list();
  }

  /** Those that have a sum, from nothing. */
  #list(): void {
    const { nodes, sums, rankOf } = this;
    let count = 0;
    for (let at = 0; at < sums.length; at += 1) {
      if ((sums[at] ?? -1) >= 0) {
        nodes[count] = at;
        count += 1;
      }
      rankOf[at + 1] = count;
    }
    this.count = count;
  }

  /** All is seen, and the list of changes begins anew. */
  restart(): void {
    this.catchUp();
    this.#seen = 0;
  }

  /** What a node scores now, touched or not; -1: it is not open, or has no room. */
  sumOn(at: number): number {
    if (this.#table.isTouched[at] === 0) return this.sums[at] ?? -1;
    return this.#fits(at) ? this.#sum(at) : -1;
  }

  /** Its nodes by cell, the best first. */
  rankingBy(cells: Cells): Ranking {
    let ranking = this.#rankings.get(cells);
    if (ranking === undefined || ranking.generation !== cells.generation) {
      ranking = new Ranking(cells, this.sums);
      this.#rankings.set(cells, ranking);
    }
    return ranking;
  }

  #update(at: number): void {
    const { nodes, count, rankOf } = this;
    const stood = (this.sums[at] ?? -1) >= 0;
    const fits = this.#fits(at);
    const sum = fits ? this.#sum(at) : -1;
    for (const [cells, ranking] of this.#rankings) {
      if (ranking.generation !== cells.generation) this.#rankings.delete(cells);
      else if (stood) ranking.remove(at);
    }
    this.sums[at] = sum;
    if (fits) for (const ranking of this.#rankings.values()) ranking.add(at);
    if (fits === stood) return;
    const place = rankOf[at] ?? 0;
    if (fits) nodes.copyWithin(place + 1, place, count);
    else nodes.copyWithin(place, place + 1, count);
    if (fits) nodes[place] = at;
    const more = fits ? 1 : -1;
    this.count += more;
    for (let after = at + 1; after < rankOf.length; after += 1) rankOf[after] = (rankOf[after] ?? 0) + more;
  }

  #fits(at: number): boolean {
    const { fixed, asks } = this;
    const { pods, podsMax, closed } = this.#table;
    if (fixed.open[at] === 0 || (at === closed && !fixed.toleratesCordon)) return false;
    if ((pods[at] ?? 0) + 1 > (podsMax[at] ?? 0)) return false;
    for (let i = 0; i < asks.length; i += 1) {
      const ask = asks[i];
      if (ask !== undefined && ask.amount > (ask.room.total[at] ?? 0) - (ask.room.used[at] ?? 0)) return false;
    }
    return true;
  }

  #sum(at: number): number {
    return aloneScore(this.#table, this.#minor, this.template, at) + (this.#images?.[at] ?? 0);
  }
}

/** When more nodes changed, listing and ranking all of them costs less than moving each. */
const fewMax = 48;

interface Asked {
  readonly table: NodeTable;
  readonly minor: Minor;
  readonly template: PodTemplate;
  readonly fixed: Fixed;
  /** Scores of its images; null: 0 everywhere. */
  readonly images: Int32Array | null;
}

/** The plain ones first, then the others by name: so a filter tells what is short. */
function asksOf(table: NodeTable, { requests }: PodTemplate): readonly Ask[] {
  const asks = [
    { room: table.milliCpu, amount: requests.milliCpu, name: "cpu" },
    { room: table.memory, amount: requests.memoryBytes, name: "memory" },
    { room: table.ephemeral, amount: requests.ephemeralStorageBytes, name: "ephemeral-storage" },
    ...[...requests.scalar]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([name, amount]) => ({ room: table.scalar(name), amount, name })),
  ];
  return asks.filter(({ amount }) => amount > 0);
}
