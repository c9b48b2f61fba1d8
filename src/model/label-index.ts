import { endToEnd } from "../base/end-to-end.ts";
import { listed } from "../base/listed.ts";
import { none } from "../base/none.ts";
import { underKey } from "../base/under-key.ts";
import type { LabelSelector, Labels } from "./labels.ts";

/** Things of a namespace that are about pods with a certain label, found by the labels of a pod. */
export class LabelIndex<T> {
  /** Namespace → key → value → things. */
  readonly #things = new Map<string, Map<string, Map<string, T[]>>>();

  add(namespace: string, key: string, value: string, thing: T): void {
    const byKey = underKey(this.#things, namespace, () => new Map<string, Map<string, T[]>>());
    listed(
      underKey(byKey, key, () => new Map<string, T[]>()),
      value,
      thing,
    );
  }

  /** All whose label a pod with these has. */
  about(namespace: string, labels: Labels): readonly T[] {
    const byKey = this.#things.get(namespace);
    if (byKey === undefined) return none;
    let found: readonly T[] = none;
    for (const [key, byValue] of byKey) {
      const value = labels.get(key);
      const things = value === undefined ? undefined : byValue.get(value);
      if (things !== undefined) found = endToEnd(found, things);
    }
    return found;
  }
}

/** A label, with its value, that a pod must have for the selector to match it; null: none is named. */
export function namedLabel({ requirements }: LabelSelector): { readonly key: string; readonly value: string } | null {
  for (const { key, operator, values } of requirements) {
    const [value] = values;
    if (operator === "In" && value !== undefined && values.length === 1) return { key, value };
  }
  return null;
}
