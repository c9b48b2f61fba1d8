/**
 * Pods that matter to one kind of pod, counted by domain; a domain without any is not in it. Kept up to date pod by pod
 * instead of being counted again in each cycle.
 */
export class Counter {
  readonly domainOf: Int32Array;
  readonly counts = new Map<number, number>();
  /** Nodes that count at all; null: every one. */
  readonly #included: Uint8Array | null;
  #total = 0;

  constructor(domainOf: Int32Array, included: Uint8Array | null = null) {
    this.domainOf = domainOf;
    this.#included = included;
  }

  add(node: number, amount: number): void {
    const domain = this.domainOf[node] ?? -1;
    if (amount === 0 || domain < 0 || (this.#included !== null && this.#included[node] === 0)) return;
    const count = (this.counts.get(domain) ?? 0) + amount;
    if (count === 0) this.counts.delete(domain);
    else this.counts.set(domain, count);
    this.#total += amount;
  }

  on(node: number): number {
    if (this.counts.size === 0) return 0;
    const domain = this.domainOf[node] ?? -1;
    return domain < 0 ? 0 : (this.counts.get(domain) ?? 0);
  }

  get total(): number {
    return this.#total;
  }
}
