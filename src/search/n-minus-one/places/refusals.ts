import type { Rejection } from "../../../scheduler/framework.ts";
import { fewestOf } from "./even.ts";
import type { Kind } from "./kind.ts";
import { type Asked, rejectionOf } from "./reject.ts";
import type { NodeTable } from "./table.ts";

/** How many nodes refuse a kind of pod that none takes, by why. Where only the nodes themselves decide, those that changed are looked at. */
export class Refusals {
  readonly #kind: Kind;
  readonly #table: NodeTable;
  readonly #asked: Asked;
  /** Null: what happens on one node may be the reason on another. */
  readonly #byNode: Rejection[] | null;
  readonly #counts = new Map<Rejection, number>();
  /** How many of the table's changes are in it. */
  #seen = 0;
  /** Null: it is not known. */
  #message: string | null = null;

  constructor(kind: Kind, table: NodeTable) {
    this.#kind = kind;
    this.#table = table;
    this.#asked = { kind, table, fewest: [], shortages: new Map() };
    this.#byNode = isLocal(kind) ? new Array<Rejection>(table.size) : null;
    if (this.#byNode !== null) this.#countAll();
  }

  /** What is said of it where no node takes it now; made again where the counts have become others. */
  said(say: (counts: ReadonlyMap<Rejection, number>) => string): string {
    const { changed, touched, touchedCount } = this.#table;
    if (this.#byNode === null) this.#countAll();
    else {
      for (; this.#seen < changed.length; this.#seen += 1) this.#lookAgain(this.#byNode, changed[this.#seen] ?? 0);
      for (let i = 0; i < touchedCount; i += 1) this.#lookAgain(this.#byNode, touched[i] ?? 0);
    }
    this.#message ??= say(this.#counts);
    return this.#message;
  }

  #countAll(): void {
    const { size, changed } = this.#table;
    const asked = { ...this.#asked, fewest: this.#kind.filters.map(fewestOf) };
    this.#counts.clear();
    this.#message = null;
    let last: Rejection | null = null;
    let alike = 0;
    for (let at = 0; at < size; at += 1) {
      const rejection = rejectionOf(asked, at);
      if (this.#byNode !== null) this.#byNode[at] = rejection;
      // As nodes that stand side by side mostly are.
      if (rejection === last) {
        alike += 1;
        continue;
      }
      if (last !== null) this.#add(last, alike);
      last = rejection;
      alike = 1;
    }
    if (last !== null) this.#add(last, alike);
    this.#seen = changed.length;
  }

  #lookAgain(byNode: Rejection[], at: number): void {
    const before = byNode[at];
    const rejection = rejectionOf(this.#asked, at);
    if (rejection === before) return;
    this.#message = null;
    if (before !== undefined) this.#add(before, -1);
    this.#add(rejection, 1);
    byNode[at] = rejection;
  }

  #add(rejection: Rejection, nodes: number): void {
    const count = (this.#counts.get(rejection) ?? 0) + nodes;
    if (count === 0) this.#counts.delete(rejection);
    else this.#counts.set(rejection, count);
  }
}

function isLocal({ filters, affinity, apartFrom }: Kind): boolean {
  if (filters.length > 0 || affinity.length > 0) return false;
  return apartFrom.every(({ domains }) => domains.isByNode);
}
