import { lowerBound } from "./sorted.ts";
import type { Domains } from "./table.ts";

/**
 * Pods that matter to one kind of pod, counted by domain. Kept up to date pod by pod instead of being counted again in each
 * cycle.
 */
export class Counter {
  readonly domains: Domains;
  /** Domains with any, in order, and how many: beside each other. */
  readonly filled: number[] = [];
  readonly pods: number[] = [];
  /** Nodes that count at all; null: every one. */
  readonly #included: Uint8Array | null;
  #total = 0;

  constructor(domains: Domains, included: Uint8Array | null = null) {
    this.domains = domains;
    this.#included = included;
  }

  add(node: number, amount: number): void {
    const domain = this.domains.of[node] ?? -1;
    if (amount === 0 || domain < 0 || (this.#included !== null && this.#included[node] === 0)) return;
    this.#total += amount;
    const { filled, pods } = this;
    const place = lowerBound(filled, filled.length, domain);
    if (filled[place] !== domain) {
      filled.splice(place, 0, domain);
      pods.splice(place, 0, amount);
      return;
    }
    const count = (pods[place] ?? 0) + amount;
    pods[place] = count;
    if (count !== 0) return;
    filled.splice(place, 1);
    pods.splice(place, 1);
  }

  on(node: number): number {
    const { filled, domains } = this;
    if (filled.length === 0) return 0;
    const domain = domains.of[node] ?? -1;
    const place = lowerBound(filled, filled.length, domain);
    return filled[place] === domain ? (this.pods[place] ?? 0) : 0;
  }

  get total(): number {
    return this.#total;
  }
}
