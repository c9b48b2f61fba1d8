import { underKey } from "../../base/under-key.ts";
import type { LabelSelector } from "../../model/labels.ts";
import { matchesRequiredNodeAffinity, nodesAskedFor } from "../../model/node-selector.ts";
import { formOf } from "../../model/pod-columns.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Resources } from "../../model/resources.ts";
import { repelled, toleratesAny } from "../../model/taints.ts";
import type { ClusterView, NodeView } from "../../model/view.ts";
import { existingTerm, incomingTerm } from "../../scheduler/affinity-term.ts";
import { cordon } from "../../scheduler/filters/node-unschedulable.ts";
import { StatedIndex } from "./places/stated.ts";
import { TemplateIndex } from "./places/template-index.ts";

/** Nodes by their number in the view. */
export interface Fitting {
  /** How many fit. */
  readonly count: number;
  has(node: number): boolean;
}

/**
 * Nodes on which a pod of a template would fit as they stand, as far as the node and the pods on it decide. Of thousands of templates
 * each asks for one of a few dozen sets of nodes, and is kept apart from a handful of others.
 */
export class FittingNodes {
  readonly #view: ClusterView;
  /** By all that decides which nodes a template may use. */
  readonly #open = new Map<string, readonly number[]>();
  readonly #templates = new TemplateIndex();
  readonly #stated = new StatedIndex();
  /** Template → the nodes its pods are on; of those made for one node each, what they have in common. */
  readonly #nodesOf = new Map<PodTemplate, number[]>();

  constructor(view: ClusterView) {
    this.#view = view;
    for (const [number, node] of view.nodes.entries()) {
      node.tellPods((pod) => {
        const form = formOf(pod);
        const nodes = this.#nodesOf.get(form);
        if (nodes === undefined) this.#nodesOf.set(form, [number]);
        else if (nodes.at(-1) !== number) nodes.push(number);
      });
    }
    for (const template of this.#nodesOf.keys()) {
      this.#templates.add(template);
      if (template.requiredPodAntiAffinity.length > 0) this.#stated.add(template);
    }
  }

  of(template: PodTemplate): Fitting {
    const { nodes } = this.#view;
    const fits = new Uint8Array(nodes.length);
    for (const number of this.openTo(template)) {
      const node = nodes[number];
      if (node !== undefined && hasRoom(template.requests, node, 1)) fits[number] = 1;
    }
    for (const other of this.#keptApart(template))
      for (const number of this.#nodesOf.get(other) ?? []) fits[number] = 0;
    const count = fits.reduce((sum, one) => sum + one, 0);
    return { count, has: (number) => fits[number] === 1 };
  }

  /** Nodes that take a pod of the template by taints and affinity, however much room they have. */
  openTo(template: PodTemplate): readonly number[] {
    return underKey(this.#open, nodesAskedFor(template), () =>
      [...this.#view.nodes.entries()].flatMap(([number, node]) => (isOpenTo(template, node) ? [number] : [])),
    );
  }

  /** The nodes with a pod of a namespace that a selector takes. */
  nodesWith(
    namespace: string,
    selector: LabelSelector,
    matches: (template: PodTemplate) => boolean,
  ): ReadonlySet<number> {
    const among = this.#templates.mayMatch([namespace], selector).filter(matches);
    return new Set(among.flatMap((template) => [...(this.#nodesOf.get(template) ?? [])]));
  }

  /** Templates whose pods keep one of this one off their node, by their rules or its own. */
  *#keptApart(template: PodTemplate): Iterable<PodTemplate> {
    const { cluster } = this.#view;
    for (const term of template.requiredPodAntiAffinity) {
      const { selector, namespaces, namespaceSelector } = term;
      if (selector === null) continue;
      const own = incomingTerm(cluster, term);
      const among = this.#templates.mayMatch(namespaceSelector === null ? namespaces : "all", selector);
      yield* among.filter((other) => own.matches(other));
    }
    for (const { by, term, repels } of this.#stated.about(template)) {
      if (repels && existingTerm(cluster, term).matches(template)) yield by;
    }
  }
}

export function isOpenTo(template: PodTemplate, { node, unschedulable, taints, ready }: NodeView): boolean {
  if (!ready || (unschedulable && !toleratesAny(template.tolerations, cordon))) return false;
  return !repelled(taints, template.tolerations) && matchesRequiredNodeAffinity(template, node);
}

/** For so many more pods that ask for this together. */
export function hasRoom(
  { milliCpu, memoryBytes, ephemeralStorageBytes, scalar }: Resources,
  view: NodeView,
  pods: number,
): boolean {
  const { allocatable } = view.node;
  const { requested } = view;
  if (view.pods.length + pods > view.node.podsMax) return false;
  if (milliCpu > 0 && milliCpu > allocatable.milliCpu - requested.milliCpu) return false;
  if (memoryBytes > 0 && memoryBytes > allocatable.memoryBytes - requested.memoryBytes) return false;
  const storage = allocatable.ephemeralStorageBytes - requested.ephemeralStorageBytes;
  if (ephemeralStorageBytes > 0 && ephemeralStorageBytes > storage) return false;
  for (const [name, amount] of scalar) {
    if (amount > 0 && amount > (allocatable.scalar.get(name) ?? 0) - (requested.scalar.get(name) ?? 0)) return false;
  }
  return true;
}
