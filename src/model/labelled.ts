import { listed } from "../base/listed.ts";
import { none } from "../base/none.ts";
import { underKey } from "../base/under-key.ts";
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
    const byValue = underKey(this.#byKey, label.key, (key) => {
      const made = new Map<string, T[]>();
      for (const thing of this.#all) this.#sort(made, key, thing);
      return made;
    });
    return byValue.get(label.value) ?? none;
  }

  #sort(byValue: Map<string, T[]>, key: string, thing: T): void {
    for (const labels of this.#labelsOf(thing)) {
      const value = labels.get(key);
      if (value !== undefined && byValue.get(value)?.at(-1) !== thing) listed(byValue, value, thing);
    }
  }
}
