import type { Shelf } from "./shelf.ts";
import { lowerBound } from "./sorted.ts";
import type { Domains } from "./table.ts";

/**
 * Pods that matter to one kind of pod, counted by domain. Kept up to date pod by pod instead of being counted again in each
 * cycle.
 */
export class Counter {
  readonly domains: Domains;
  /** What it counts on a node matters to pods that come there only. */
  readonly isLocal: boolean;
  readonly shelf: Shelf;
  /** Of many domains those with any, in order, stand on the shelf from here on, and as far after its middle how many each has. Of few ones each has its place. */
  from: number;
  /** How many of many domains have any. */
  filled = 0;
  /** For so many there is room. */
  room: number;
  /** Nodes that count at all; null: every one. */
  readonly #included: Uint8Array | null;
  #total = 0;

  constructor(shelf: Shelf, domains: Domains, { included = null, isLocal = false }: Options = nothingSaid) {
    this.shelf = shelf;
    this.domains = domains;
    this.room = domains.isFine ? 0 : domains.nodes.length;
    this.from = shelf.take(this.room);
    this.isLocal = isLocal && domains.isByNode;
    this.#included = included;
  }

  add(node: number, amount: number): void {
    const { domains } = this;
    const domain = domains.of[node] ?? -1;
    if (amount === 0 || domain < 0 || (this.#included !== null && this.#included[node] === 0)) return;
    this.#total += amount;
    const { numbers } = this.shelf;
    if (domains.isFine) this.#addTo(domain, amount);
    else numbers[this.from + domain] = (numbers[this.from + domain] ?? 0) + amount;
  }

  #addTo(domain: number, amount: number): void {
    const place = this.#placeOf(domain);
    const { numbers } = this.shelf;
    if (place === this.from + this.filled || numbers[place] !== domain) {
      this.#insert(place - this.from, domain, amount);
      return;
    }
    const count = (numbers[place + this.room] ?? 0) + amount;
    numbers[place + this.room] = count;
    if (count === 0) this.#remove(place);
  }

  /** Most come in order. */
  #placeOf(domain: number): number {
    const { numbers } = this.shelf;
    const end = this.from + this.filled;
    if (this.filled === 0 || (numbers[end - 1] ?? 0) < domain) return end;
    return lowerBound(numbers, end, domain, this.from);
  }

  #insert(place: number, domain: number, amount: number): void {
    this.expect(1);
    const { from, filled, room } = this;
    const { numbers } = this.shelf;
    for (let at = from + filled; at > from + place; at -= 1) {
      numbers[at] = numbers[at - 1] ?? 0;
      numbers[at + room] = numbers[at + room - 1] ?? 0;
    }
    numbers[from + place] = domain;
    numbers[from + place + room] = amount;
    this.filled += 1;
  }

  #remove(place: number): void {
    const { numbers } = this.shelf;
    const end = this.from + this.filled;
    numbers.copyWithin(place, place + 1, end);
    numbers.copyWithin(place + this.room, place + this.room + 1, end + this.room);
    this.filled -= 1;
  }

  /** Of many domains so many more may have any. */
  expect(more: number): void {
    const needed = this.filled + more;
    if (!this.domains.isFine || needed <= this.room) return;
    const room = this.room === 0 ? needed : Math.max(needed, 2 * this.room);
    const from = this.shelf.take(2 * room);
    const { numbers } = this.shelf;
    numbers.copyWithin(from, this.from, this.from + this.filled);
    numbers.copyWithin(from + room, this.from + this.room, this.from + this.room + this.filled);
    this.from = from;
    this.room = room;
  }

  on(node: number): number {
    const domain = this.domains.of[node] ?? -1;
    return domain < 0 ? 0 : this.of(domain);
  }

  of(domain: number): number {
    const { from, filled } = this;
    const { numbers } = this.shelf;
    if (!this.domains.isFine) return numbers[from + domain] ?? 0;
    if (filled === 0) return 0;
    const place = lowerBound(numbers, from + filled, domain, from);
    return place < from + filled && numbers[place] === domain ? (numbers[place + this.room] ?? 0) : 0;
  }

  /** Of many domains those with any, in order. */
  get some(): Int32Array {
    return this.shelf.numbers.subarray(this.from, this.from + this.filled);
  }

  /** Nodes of the domains with any, of many domains; in order where each is a domain of its own. */
  get nodes(): ArrayLike<number> {
    const { some, domains } = this;
    return domains.isByNode ? some : Array.from(some).flatMap((domain) => domains.nodes[domain] ?? []);
  }

  /** The fewest in any of so many domains. */
  fewest(domains: number): number {
    const { from, filled, room } = this;
    const { isFine } = this.domains;
    const first = isFine ? from + room : from;
    let some = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let place = first; place < first + (isFine ? filled : room); place += 1) {
      const count = this.shelf.numbers[place] ?? 0;
      if (count === 0) continue;
      some += 1;
      least = Math.min(least, count);
    }
    return some < domains ? 0 : least;
  }

  get total(): number {
    return this.#total;
  }
}

interface Options {
  readonly included?: Uint8Array | null;
  readonly isLocal?: boolean;
}

const nothingSaid: Options = {};
