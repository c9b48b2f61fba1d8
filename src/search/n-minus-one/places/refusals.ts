import type { Rejection } from "../../../scheduler/framework.ts";
import { fewestOf } from "./even.ts";
import type { Kind } from "./kind.ts";
import { rejectionOf } from "./reject.ts";
import type { NodeTable } from "./table.ts";

/** How many nodes refuse a kind of pod that none takes, by why. Where only the nodes themselves decide, those that changed are looked at. */
export class Refusals {
  readonly #kind: Kind;
  readonly #table: NodeTable;
  /** Null: what happens on one node may be the reason on another. */
  readonly #byNode: Rejection[] | null;
  readonly #counts = new Map<Rejection, number>();
  /** How many of the table's changes are in it. */
  #seen = 0;

  constructor(kind: Kind, table: NodeTable) {
    this.#kind = kind;
    this.#table = table;
    this.#byNode = isLocal(kind) ? [] : null;
    if (this.#byNode !== null) this.#countAll();
  }

  /** No node takes it now. */
  counts(): ReadonlyMap<Rejection, number> {
    const { changed, touched, touchedCount } = this.#table;
    if (this.#byNode === null) this.#countAll();
    else {
      for (; this.#seen < changed.length; this.#seen += 1) this.#lookAgain(this.#byNode, changed[this.#seen] ?? 0);
      for (let i = 0; i < touchedCount; i += 1) this.#lookAgain(this.#byNode, touched[i] ?? 0);
    }
    return this.#counts;
  }

  #countAll(): void {
    const { size, changed } = this.#table;
    const fewest = this.#kind.filters.map(fewestOf);
    this.#counts.clear();
    for (let at = 0; at < size; at += 1) {
      const rejection = rejectionOf({ kind: this.#kind, at, fewest, table: this.#table });
      this.#add(rejection, 1);
      if (this.#byNode !== null) this.#byNode[at] = rejection;
    }
    this.#seen = changed.length;
  }

  #lookAgain(byNode: Rejection[], at: number): void {
    const before = byNode[at];
    const rejection = rejectionOf({ kind: this.#kind, at, fewest: [], table: this.#table });
    if (rejection === before) return;
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
