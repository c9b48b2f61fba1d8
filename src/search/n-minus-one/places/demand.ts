import type { Minor } from "../../../model/cluster.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";
import { aloneScore } from "./alone.ts";
import type { Fixed } from "./fixed.ts";
import { lowerBound } from "./sorted.ts";
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
  /** Scores that other nodes do not scale: least allocated, balanced allocation, images. -1: not among `nodes`. */
  readonly sums: Int32Array;
  readonly #table: NodeTable;
  readonly #minor: Minor;
  readonly #template: PodTemplate;
  readonly #images: Int32Array | null;
  /** How many of the table's changes are in it. */
  #seen: number;

  constructor({ table, minor, template, fixed, images }: Asked) {
    this.#table = table;
    this.#minor = minor;
    this.#template = template;
    this.#images = images;
    this.fixed = fixed;
    this.asks = asksOf(table, template);
    this.nodes = new Int32Array(table.size);
    this.sums = new Int32Array(table.size).fill(-1);
    for (let at = 0; at < table.size; at += 1) {
      if (!this.#fits(at)) continue;
      this.sums[at] = this.#sum(at);
      this.nodes[this.count] = at;
      this.count += 1;
    }
    this.#seen = table.changed.length;
  }

  catchUp(): void {
    const { changed } = this.#table;
    for (; this.#seen < changed.length; this.#seen += 1) this.#update(changed[this.#seen] ?? 0);
  }

  /** The list of changes begins anew: what is left of it has to be looked at. Whoever saw none of it stands as before. */
  restart({ undone }: { readonly undone: boolean }): void {
    if (!undone || this.#seen > 0) this.catchUp();
    this.#seen = 0;
  }

  #update(at: number): void {
    const stood = (this.sums[at] ?? -1) >= 0;
    const fits = this.#fits(at);
    this.sums[at] = fits ? this.#sum(at) : -1;
    if (fits === stood) return;
    const { nodes, count } = this;
    const place = lowerBound(nodes, count, at);
    if (fits) {
      nodes.copyWithin(place + 1, place, count);
      nodes[place] = at;
      this.count += 1;
    } else {
      nodes.copyWithin(place, place + 1, count);
      this.count -= 1;
    }
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
    return aloneScore(this.#table, this.#minor, this.#template, at) + (this.#images?.[at] ?? 0);
  }
}

interface Asked {
  readonly table: NodeTable;
  readonly minor: Minor;
  readonly template: PodTemplate;
  readonly fixed: Fixed;
  /** Scores of its images; null: 0 everywhere. */
  readonly images: Int32Array | null;
}

function asksOf(table: NodeTable, { requests }: PodTemplate): readonly Ask[] {
  const asks = [
    { room: table.milliCpu, amount: requests.milliCpu, name: "cpu" },
    { room: table.memory, amount: requests.memoryBytes, name: "memory" },
    { room: table.ephemeral, amount: requests.ephemeralStorageBytes, name: "ephemeral-storage" },
    ...[...requests.scalar].map(([name, amount]) => ({ room: table.scalar(name), amount, name })),
  ];
  return asks.filter(({ amount }) => amount > 0);
}
