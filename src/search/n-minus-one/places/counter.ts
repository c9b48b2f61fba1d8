import { insertAt, lowerBound, removeAt } from "./sorted.ts";
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
  /** What it counts on a node matters to pods that come there only. */
  readonly isLocal: boolean;
  /** Nodes that count at all; null: every one. */
  readonly #included: Uint8Array | null;
  #total = 0;

  constructor(domains: Domains, { included = null, isLocal = false }: Options = {}) {
    this.domains = domains;
    this.isLocal = isLocal && domains.isByNode;
    this.#included = included;
  }

  add(node: number, amount: number): void {
    const domain = this.domains.of[node] ?? -1;
    if (amount === 0 || domain < 0 || (this.#included !== null && this.#included[node] === 0)) return;
    this.#total += amount;
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
    const { filled, domains } = this;
    if (filled.length === 0) return 0;
    const domain = domains.of[node] ?? -1;
    const place = lowerBound(filled, filled.length, domain);
    return filled[place] === domain ? (this.pods[place] ?? 0) : 0;
  }

  /** Nodes of the domains with any; in order where each is a domain of its own. */
  get nodes(): readonly number[] {
    const { filled, domains } = this;
    return domains.isByNode ? filled : filled.flatMap((domain) => domains.nodes[domain] ?? []);
  }

  get total(): number {
    return this.#total;
  }
}

interface Options {
  readonly included?: Uint8Array | null;
  readonly isLocal?: boolean;
}
