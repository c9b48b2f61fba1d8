import { insertAt, lowerBound, removeAt } from "./sorted.ts";
import type { Domains } from "./table.ts";

/**
 * Pods that matter to one kind of pod, counted by domain. Kept up to date pod by pod instead of being counted again in each
 * cycle.
 */
export class Counter {
  readonly domains: Domains;
  /** Of many domains those with any, in order; of few ones none are told. */
  readonly filled: number[] = [];
  /** How many there are: beside those, or of few domains by domain. */
  readonly pods: number[];
  /** What it counts on a node matters to pods that come there only. */
  readonly isLocal: boolean;
  /** Nodes that count at all; null: every one. */
  readonly #included: Uint8Array | null;
  #total = 0;

  constructor(domains: Domains, { included = null, isLocal = false }: Options = {}) {
    this.domains = domains;
    this.pods = domains.isFine ? [] : domains.nodes.map(() => 0);
    this.isLocal = isLocal && domains.isByNode;
    this.#included = included;
  }

  add(node: number, amount: number): void {
    const { domains } = this;
    const domain = domains.of[node] ?? -1;
    if (amount === 0 || domain < 0 || (this.#included !== null && this.#included[node] === 0)) return;
    this.#total += amount;
    if (domains.isFine) this.#addTo(domain, amount);
    else this.pods[domain] = (this.pods[domain] ?? 0) + amount;
  }

  #addTo(domain: number, amount: number): void {
    const { filled, pods } = this;
    const last = filled.length - 1;
    if (last < 0 || (filled[last] ?? 0) < domain) {
      filled.push(domain);
      pods.push(amount);
      return;
    }
    const place = lowerBound(filled, filled.length, domain);
    if (filled[place] !== domain) {
      insertAt(filled, place, domain);
      insertAt(pods, place, amount);
      return;
    }
    const count = (pods[place] ?? 0) + amount;
    pods[place] = count;
    if (count !== 0) return;
    removeAt(filled, place);
    removeAt(pods, place);
  }

  on(node: number): number {
    const { filled, pods, domains } = this;
    const domain = domains.of[node] ?? -1;
    if (!domains.isFine) return pods[domain] ?? 0;
    if (filled.length === 0) return 0;
    const place = lowerBound(filled, filled.length, domain);
    return filled[place] === domain ? (pods[place] ?? 0) : 0;
  }

  /** Nodes of the domains with any, of many domains; in order where each is a domain of its own. */
  get nodes(): readonly number[] {
    const { filled, domains } = this;
    return domains.isByNode ? filled : filled.flatMap((domain) => domains.nodes[domain] ?? []);
  }

  /** The fewest in any of so many domains. */
  fewest(domains: number): number {
    const some = this.pods.filter((count) => count !== 0);
    return some.length < domains ? 0 : some.reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY);
  }

  get total(): number {
    return this.#total;
  }
}

interface Options {
  readonly included?: Uint8Array | null;
  readonly isLocal?: boolean;
}
