import { underKey } from "../../base/under-key.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Resources } from "../../model/resources.ts";
import type { Amount } from "./amounts.ts";

/** What pods ask for, each combination by a number: thousands of templates ask for one of a few dozen. Lists go by them. */
export class Sizes {
  readonly #all: Resources[] = [];
  readonly #numbers = new Map<Resources, number>();
  readonly #byAsked = new Map<string, number>();

  get count(): number {
    return this.#all.length;
  }

  numberOf(requests: Resources): number {
    return underKey(this.#numbers, requests, () =>
      underKey(this.#byAsked, askedBy({ requests }), () => this.#all.push(requests) - 1),
    );
  }

  /** What each takes of an amount. */
  taking({ read }: Amount): readonly number[] {
    return this.#all.map(read);
  }

  /** Those that bring some of an amount, the ones first that bring most for what they take of the other. */
  byWorth(amount: Amount, limit: Amount): readonly number[] {
    const [brought, taken] = [this.taking(amount), this.taking(limit)];
    const worth = brought.map((brings, size) => (brings > 0 ? brings / (taken[size] ?? 0) : 0));
    return [...worth.keys()]
      .filter((size) => (worth[size] ?? 0) > 0)
      .sort((a, b) => (worth[a] === worth[b] ? a - b : (worth[b] ?? 0) - (worth[a] ?? 0)));
  }
}

/** The same for all templates that ask for the same amounts. */
export function askedBy({ requests }: Pick<PodTemplate, "requests">): string {
  const { milliCpu, memoryBytes, ephemeralStorageBytes, scalar } = requests;
  return [milliCpu, memoryBytes, ephemeralStorageBytes, ...[...scalar].flat()].join();
}
