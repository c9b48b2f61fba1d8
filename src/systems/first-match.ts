import { listed } from "../base/listed.ts";
import { underKey } from "../base/under-key.ts";
import type { Part } from "./facts.ts";
import { type Match, matchesPart } from "./match.ts";

interface Numbered<T> {
  readonly rule: T;
  /** Its place among all. */
  readonly at: number;
}

/**
 * Many rules asked of thousands of parts: of those that want a label only the ones are tried whose first one the part has. What a
 * part looks like is what it is, as if all were tried in turn.
 */
export class FirstMatch<T extends { readonly match: Match }> {
  /** Label → value → rules that want just that, in their order. */
  readonly #byLabel = new Map<string, Map<string, Numbered<T>[]>>();
  readonly #others: Numbered<T>[] = [];

  constructor(rules: readonly T[]) {
    for (const [at, rule] of rules.entries()) {
      const exact = Object.entries(rule.match.labels ?? {}).find(([, value]) => !value.startsWith("*"));
      if (exact === undefined) this.#others.push({ rule, at });
      else
        listed(
          underKey(this.#byLabel, exact[0], () => new Map<string, Numbered<T>[]>()),
          exact[1],
          { rule, at },
        );
    }
  }

  of(part: Part): T | undefined {
    let first = firstOf(this.#others, part, Number.POSITIVE_INFINITY);
    for (const [key, value] of part.labels) {
      const wanting = this.#byLabel.get(key)?.get(value);
      if (wanting !== undefined) first = firstOf(wanting, part, first?.at ?? Number.POSITIVE_INFINITY) ?? first;
    }
    return first?.rule;
  }
}

/** The first that matches, if it comes before another. */
function firstOf<T extends { readonly match: Match }>(
  rules: readonly Numbered<T>[],
  part: Part,
  before: number,
): Numbered<T> | undefined {
  for (const one of rules) {
    if (one.at >= before) return undefined;
    if (matchesPart(one.rule.match, part)) return one;
  }
  return undefined;
}
