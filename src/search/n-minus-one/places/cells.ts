import type { Fixed } from "./fixed.ts";
import type { Domains } from "./table.ts";

/**
 * Nodes sorted into cells for some kinds of pods: those of one cell have the same taints and preferred affinity, stand in the
 * same domain of each coarse topology, and all have the label of each fine one or all lack it. So they differ for a pod only in
 * their room, and where pods are counted in a fine domain.
 */
export class Cells {
  readonly of: Int32Array;
  count = 0;
  /** Nodes cell by cell, each in order. */
  readonly order: Int32Array;
  /** Cell → where its nodes begin there; one more, where the last ones end. */
  starts = new Int32Array(1);
  /** Another number whenever the nodes are sorted anew. */
  generation = 0;
  readonly #fixed: Fixed;
  readonly #topologies: readonly Domains[];

  constructor(fixed: Fixed, topologies: readonly Domains[]) {
    this.#fixed = fixed;
    this.#topologies = topologies;
    this.of = new Int32Array(fixed.open.length);
    this.order = new Int32Array(fixed.open.length);
    this.sort();
  }

  /** Taints are others now. */
  sort(): void {
    this.generation += 1;
    this.of.fill(0);
    this.count = Math.min(1, this.of.length);
    this.#divide(this.#fixed.taints);
    this.#divide(this.#fixed.affinity);
    for (const { of, isFine } of this.#topologies) this.#divide(isFine ? of.map((domain) => Math.min(domain, 0)) : of);
    const starts = new Int32Array(this.count + 1);
    for (let at = 0; at < this.of.length; at += 1)
      starts[(this.of[at] ?? 0) + 1] = (starts[(this.of[at] ?? 0) + 1] ?? 0) + 1;
    for (let cell = 0; cell < this.count; cell += 1) starts[cell + 1] = (starts[cell + 1] ?? 0) + (starts[cell] ?? 0);
    this.starts = starts;
    const next = starts.slice();
    for (let at = 0; at < this.of.length; at += 1) {
      const cell = this.of[at] ?? 0;
      const place = next[cell] ?? 0;
      this.order[place] = at;
      next[cell] = place + 1;
    }
  }

  /** Nodes of one cell with different values come into different ones, which are numbered as they are met. */
  #divide(values: Int32Array): void {
    const numbers = new Map<number, number>();
    for (let at = 0; at < values.length; at += 1) {
      const both = (this.of[at] ?? 0) * beyondValues + (values[at] ?? 0);
      let number = numbers.get(both);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(both, number);
      }
      this.of[at] = number;
    }
    this.count = numbers.size;
  }
}

/** Values are of 32 bits. */
const beyondValues = 2 ** 32;
