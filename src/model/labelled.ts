import { none } from "../base/none.ts";
import { namedLabel } from "./label-index.ts";
import type { LabelSelector, Labels } from "./labels.ts";

/** Things with labels, found by what selectors ask for: of thousands one mostly takes a few. Sorted by a label when one first asks for it. */
export class Labelled<T> {
  readonly #all: T[] = [];
  /** One thing may have more than one set of labels. */
  readonly #labelsOf: (thing: T) => readonly Labels[];
  /** Label that was asked for → its value → things. */
  readonly #byKey = new Map<string, Map<string, T[]>>();

  constructor(labelsOf: (thing: T) => readonly Labels[], things: Iterable<T> = none) {
    this.#labelsOf = labelsOf;
    for (const thing of things) this.#all.push(thing);
  }

  add(thing: T): void {
    this.#all.push(thing);
    for (const [key, byValue] of this.#byKey) this.#sort(byValue, key, thing);
  }

  /** Those that the selector takes, and others; each once. */
  near(selector: LabelSelector): readonly T[] {
    const label = namedLabel(selector);
    if (label === null) return this.#all;
    const byValue = this.#byKey.get(label.key) ?? this.#sortedBy(label.key);
    return byValue.get(label.value) ?? none;
  }

  #sortedBy(key: string): Map<string, T[]> {
    const byValue = new Map<string, T[]>();
    for (const thing of this.#all) this.#sort(byValue, key, thing);
    this.#byKey.set(key, byValue);
    return byValue;
  }

  #sort(byValue: Map<string, T[]>, key: string, thing: T): void {
    for (const labels of this.#labelsOf(thing)) {
      const value = labels.get(key);
      if (value === undefined) continue;
      const alike = byValue.get(value);
      if (alike === undefined) byValue.set(value, [thing]);
      else if (alike.at(-1) !== thing) alike.push(thing);
    }
  }
}
