import { byCodeUnit } from "../base/ordering.ts";
import { sameContent } from "./content-ids.ts";
import type { Labels } from "./labels.ts";
import { hashOf } from "./place-table.ts";

/** Maps of labels, of which equal ones become the one that came first. */
export class SameLabels {
  readonly #first = new Set<Labels>();
  /** By a hash of what is in it, or by one of the next numbers where another one stands there already. */
  readonly #byHash = new Map<number, Labels>();
  /** By all that is in it: what finds no place in sight, which is nothing, but where somebody chose the labels for it. */
  readonly #crowded = new Map<string, Labels>();

  of(labels: Labels): Labels {
    if (this.#first.has(labels)) return labels;
    const first = this.#place(labels);
    if (first === labels) this.#first.add(labels);
    return first;
  }

  #place(labels: Labels): Labels {
    const hash = hashOfLabels(labels);
    for (let step = 0; step < stepsMax; step += 1) {
      const there = this.#byHash.get(hash + step);
      if (there !== undefined && !sameContent(there, labels)) continue;
      if (there === undefined) this.#byHash.set(hash + step, labels);
      return there ?? labels;
    }
    const text = JSON.stringify([...labels].sort((a, b) => byCodeUnit(a[0], b[0])));
    const there = this.#crowded.get(text);
    if (there === undefined) this.#crowded.set(text, labels);
    return there ?? labels;
  }
}

const stepsMax = 64;

/** Whatever their order. */
function hashOfLabels(labels: Labels): number {
  let hash = labels.size;
  // An iterator makes an object for each entry.
  labels.forEach((value, key) => {
    hash = (hash + Math.imul(hashOf(key) ^ Math.imul(hashOf(value), 31), 0x9e3779b1)) | 0;
  });
  return hash;
}
