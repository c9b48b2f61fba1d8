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
  /** Label → value, `*` for patterns → rules whose first label that is, in their order. */
  readonly #byLabel = new Map<string, Map<string, Numbered<T>[]>>();
  readonly #others: Numbered<T>[] = [];

  constructor(rules: readonly T[]) {
    for (const [at, rule] of rules.entries()) {
      const wanted = Object.entries(rule.match.labels ?? {});
      const [key, value] = wanted.find(([, pattern]) => !pattern.startsWith("*")) ?? wanted[0] ?? [null, ""];
      if (key === null) this.#others.push({ rule, at });
      else {
        const byValue = underKey(this.#byLabel, key, () => new Map<string, Numbered<T>[]>());
        listed(byValue, value.startsWith("*") ? "*" : value, { rule, at });
      }
    }
  }

  of(part: Part): T | undefined {
    let first: Numbered<T> | undefined;
    const look = (rules: readonly Numbered<T>[] | undefined): void => {
      if (rules !== undefined) first = firstOf(rules, part, first?.at ?? Number.POSITIVE_INFINITY) ?? first;
    };
    for (const [key, value] of part.labels) {
      const byValue = this.#byLabel.get(key);
      if (byValue === undefined) continue;
      look(byValue.get(value));
      look(byValue.get("*"));
    }
    look(this.#others);
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
