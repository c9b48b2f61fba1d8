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
  starts: readonly number[] = [0];
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
    const cells = new Map<string, { readonly number: number; readonly nodes: number[] }>();
    for (let at = 0; at < this.of.length; at += 1) {
      const name = this.#nameOf(at);
      const cell = cells.get(name) ?? { number: cells.size, nodes: [] };
      cells.set(name, cell);
      cell.nodes.push(at);
      this.of[at] = cell.number;
    }
    this.count = cells.size;
    const starts = [0];
    let place = 0;
    for (const { nodes } of cells.values()) {
      for (const at of nodes) {
        this.order[place] = at;
        place += 1;
      }
      starts.push(place);
    }
    this.starts = starts;
  }

  #nameOf(at: number): string {
    let name = `${this.#fixed.taints[at]} ${this.#fixed.affinity[at]}`;
    for (const { of, isFine } of this.#topologies) {
      const domain = of[at] ?? -1;
      name += isFine && domain >= 0 ? " +" : ` ${domain}`;
    }
    return name;
  }
}
