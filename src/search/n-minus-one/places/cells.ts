import type { Fixed } from "./fixed.ts";
import type { Domains } from "./table.ts";

/**
 * Nodes sorted into cells for some kinds of pods: those of one cell have the same taints and preferred affinity, stand in the
 * same domain of each coarse topology, and all have the label of each fine one or all lack it. So they differ for a pod only in
 * their room, and where pods are counted in a fine domain.
 */
export class Cells {
  readonly of: Int32Array;
  readonly #fixed: Fixed;
  readonly #topologies: readonly Domains[];
  readonly #numbers = new Map<string, number>();

  constructor(fixed: Fixed, topologies: readonly Domains[]) {
    this.#fixed = fixed;
    this.#topologies = topologies;
    this.of = new Int32Array(fixed.open.length);
    for (let at = 0; at < this.of.length; at += 1) this.set(at);
  }

  get count(): number {
    return this.#numbers.size;
  }

  /** The node's taints may be others. */
  set(at: number): void {
    let name = `${this.#fixed.taints[at]} ${this.#fixed.affinity[at]}`;
    for (const { of, isFine } of this.#topologies) {
      const domain = of[at] ?? -1;
      name += isFine && domain >= 0 ? " +" : ` ${domain}`;
    }
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(name, number);
    }
    this.of[at] = number;
  }
}
