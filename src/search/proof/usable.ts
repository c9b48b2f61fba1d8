import { underKey } from "../../base/under-key.ts";
import type { Node } from "../../model/node.ts";
import { matchesRequiredNodeAffinity, nodesAskedFor } from "../../model/node-selector.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { repelled } from "../../model/taints.ts";
import type { ClusterView, NodeView } from "../../model/view.ts";
import { askedBy } from "./sizes.ts";

/** Nodes that pods of a template may use, by affinity and taints: one set for all templates that may use the same. */
export class Usable {
  readonly #view: ClusterView;
  readonly #byTemplate = new Map<PodTemplate, ReadonlySet<string>>();
  /** By all that decides it: thousands of templates ask for one of a few dozen things. */
  readonly #byNeeds = new Map<string, ReadonlySet<string>>();

  readonly #shapes = new Map<ReadonlySet<string>, readonly Node[]>();

  constructor(view: ClusterView) {
    this.#view = view;
  }

  of(template: PodTemplate): ReadonlySet<string> {
    const known = this.#byTemplate.get(template);
    if (known !== undefined) return known;
    const usable = underKey(this.#byNeeds, nodesAskedFor(template), () => this.#now(template));
    this.#byTemplate.set(template, usable);
    return usable;
  }

  /** Of the nodes with the same amounts one. */
  shapesFor(template: PodTemplate): readonly Node[] {
    return underKey(this.#shapes, this.of(template), (names) => {
      const byAmounts = new Map<string, Node>();
      for (const { name, node } of this.#view.nodes) if (names.has(name)) byAmounts.set(shapeOf(node), node);
      return [...byAmounts.values()];
    });
  }

  #now(template: PodTemplate): ReadonlySet<string> {
    const nodes = this.#view.nodes.filter(({ node, taints }) => mayUse(template, node, taints));
    const usable = new Set(nodes.map(({ name }) => name));
    const same = [...this.#byNeeds.values()].find((other) => usable.symmetricDifference(other).size === 0);
    return same ?? usable;
  }
}

/** The same for nodes with the same amounts. */
export function shapeOf({ allocatable, podsMax }: Node): string {
  return `${askedBy({ requests: allocatable })}/${podsMax}`;
}

export function mayUse(template: PodTemplate, node: Node, taints: NodeView["taints"]): boolean {
  if (node.unschedulable || !node.ready || !matchesRequiredNodeAffinity(template, node)) return false;
  return !repelled(taints, template.tolerations);
}
