import { underKey } from "../../base/under-key.ts";
import type { LabelSelector } from "../../model/labels.ts";
import { matchesRequiredNodeAffinity, nodesAskedFor } from "../../model/node-selector.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { repelled, toleratesAny } from "../../model/taints.ts";
import { formOf } from "../../model/template-numbers.ts";
import type { ClusterView, NodeView } from "../../model/view.ts";
import { existingTerm, incomingTerm } from "../../scheduler/affinity-term.ts";
import { cordon } from "../../scheduler/filters/node-unschedulable.ts";
import { type Amount, amountsAsked, podCount } from "../proof/amounts.ts";
import { askedBy } from "../proof/sizes.ts";
import { StatedIndex } from "./places/stated.ts";
import { TemplateIndex } from "./places/template-index.ts";

/** Nodes by their number in the view. */
export interface Fitting {
  /** How many fit. */
  readonly count: number;
  /** Those that fit and a few others, in order. */
  readonly among: readonly number[];
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
  /** By the name of an amount: what each node has to spare of it. */
  readonly #spare = new Map<string, Float64Array>();
  /** The nodes templates may use → what they ask for → those with room for that. */
  readonly #roomy = new Map<readonly number[], Map<string, Fitting>>();
  /** Template → the nodes its pods are on; of those made for one node each, what they have in common. */
  readonly #nodesOf = new Map<PodTemplate, number[]>();

  constructor(view: ClusterView) {
    this.#view = view;
    const places = new Float64Array(view.nodes.length);
    this.#spare.set(podCount.name, places);
    for (const [number, node] of view.nodes.entries()) {
      places[number] = node.node.podsMax;
      node.tellPods((pod) => {
        places[number] = (places[number] ?? 0) - 1;
        // Most are forms that are known.
        const nodes = this.#nodesOf.get(pod.template) ?? underKey(this.#nodesOf, formOf(pod.template), () => []);
        if (nodes.at(-1) !== number) nodes.push(number);
      });
    }
    for (const template of this.#nodesOf.keys()) {
      this.#templates.add(template);
      if (template.requiredPodAntiAffinity.length > 0) this.#stated.add(template);
    }
  }

  of(template: PodTemplate): Fitting {
    const roomy = this.#roomyFor(template);
    const taken = new Set<number>();
    for (const other of this.#keptApart(template)) {
      for (const number of this.#nodesOf.get(other) ?? []) if (roomy.has(number)) taken.add(number);
    }
    const { count, among } = roomy;
    return { count: count - taken.size, among, has: (number) => roomy.has(number) && !taken.has(number) };
  }

  /** The same whoever is there: of thousands of templates many ask for the same. */
  #roomyFor(template: PodTemplate): Fitting {
    const homes = this.openTo(template);
    const byAsked = underKey(this.#roomy, homes, () => new Map<string, Fitting>());
    return underKey(byAsked, askedBy(template), () => {
      const fits = new Uint8Array(this.#view.nodes.length);
      const asked = amountsAsked(template).map((amount) => ({
        needed: amount.read(template.requests),
        spare: underKey(this.#spare, amount.name, () => spareOf(amount, this.#view.nodes)),
      }));
      const among = homes.filter((number) => asked.every(({ needed, spare }) => needed <= (spare[number] ?? 0)));
      for (const number of among) fits[number] = 1;
      return { count: among.length, among, has: (number) => fits[number] === 1 };
    });
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

function spareOf({ of, held }: Amount, nodes: readonly NodeView[]): Float64Array {
  return Float64Array.from(nodes, (node) => of(node.node) - held(node));
}

export function isOpenTo(template: PodTemplate, { node, unschedulable, taints, ready }: NodeView): boolean {
  if (!ready || (unschedulable && !toleratesAny(template.tolerations, cordon))) return false;
  return !repelled(taints, template.tolerations) && matchesRequiredNodeAffinity(template, node);
}
