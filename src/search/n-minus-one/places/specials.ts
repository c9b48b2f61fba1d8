import type { Kind } from "./kind.ts";
import { lowerBound } from "./sorted.ts";

/** Nodes that have to be looked at one by one, met in order: where fine counters have pods, and those that are touched. */
export class Specials {
  /** Nodes by reason, in order, and how far each list is passed. */
  readonly #lists: (readonly number[])[] = [];
  readonly #passed: number[] = [];

  begin({ fine }: Kind, touched: readonly number[]): void {
    this.#lists.length = 0;
    if (touched.length > 0) this.#lists.push(touched);
    for (const { domains, filled } of fine) {
      if (filled.length === 0) continue;
      this.#lists.push(domains.isByNode ? filled : nodesOf(domains.nodes, filled));
    }
  }

  /** Begins at a node: the first special one that is not before it. */
  startAt(at: number): number {
    for (let list = 0; list < this.#lists.length; list += 1) {
      const nodes = this.#lists[list] ?? [];
      this.#passed[list] = lowerBound(nodes, nodes.length, at);
    }
    return this.from(at);
  }

  /** The first that is not before a node, going on from the last one asked about. */
  from(at: number): number {
    let first = Number.MAX_SAFE_INTEGER;
    for (let list = 0; list < this.#lists.length; list += 1) {
      const nodes = this.#lists[list] ?? [];
      let passed = this.#passed[list] ?? 0;
      while (passed < nodes.length && (nodes[passed] ?? 0) < at) passed += 1;
      this.#passed[list] = passed;
      if (passed < nodes.length) first = Math.min(first, nodes[passed] ?? 0);
    }
    return first;
  }
}

function nodesOf(nodes: readonly (readonly number[])[], domains: readonly number[]): readonly number[] {
  return domains.flatMap((domain) => nodes[domain] ?? []).sort((a, b) => a - b);
}
