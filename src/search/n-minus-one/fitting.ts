import { none } from "../../base/none.ts";
import { underKey } from "../../base/under-key.ts";
import type { LabelSelector } from "../../model/labels.ts";
import { matchesRequiredNodeAffinity, nodesAskedFor } from "../../model/node-selector.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { repelled, toleratesAny } from "../../model/taints.ts";
import { formOf } from "../../model/template-numbers.ts";
import type { NodeView } from "../../model/view.ts";
import { existingTerm, incomingTerm } from "../../scheduler/affinity-term.ts";
import { cordon } from "../../scheduler/filters/node-unschedulable.ts";
import type { KindView } from "../../sim/kind-view.ts";
import type { Ledger } from "../../sim/ledger.ts";
import { isTerminal } from "../../workload/pod-state.ts";
import { type Amount, amountsAsked } from "../proof/amounts.ts";
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
  readonly #view: Ledger;
  readonly #numbers: ReadonlyMap<string, number>;
  /** Namespace → kinds of pods that hold room: until somebody asks for its templates, which are read then. */
  readonly #kinds: Map<string, readonly KindView[]>;
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

  constructor(view: Ledger) {
    this.#view = view;
    this.#numbers = new Map(view.nodes.map(({ name }, number) => [name, number]));
    const holding = Array.from(view.kinds()).filter(({ phaseAsRead }) => !isTerminal({ phase: phaseAsRead }));
    this.#kinds = Map.groupBy(holding, ({ namespace }) => namespace);
    const repelling = holding.filter(({ repels }) => repels).map(({ template }) => formOf(template));
    for (const template of new Set(repelling)) this.#stated.add(template);
  }

  of(template: PodTemplate): Fitting {
    const roomy = this.#roomyFor(template);
    const taken = new Set<number>();
    for (const other of this.#keptApart(template)) {
      for (const number of this.#nodesWithPodsOf(other)) if (roomy.has(number)) taken.add(number);
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
    const among = this.#mayMatch([namespace], selector).filter(matches);
    return new Set(among.flatMap((template) => this.#nodesWithPodsOf(template)));
  }

  /** Templates whose pods keep one of this one off their node, by their rules or its own. */
  *#keptApart(template: PodTemplate): Iterable<PodTemplate> {
    const { cluster } = this.#view;
    for (const term of template.requiredPodAntiAffinity) {
      const { selector, namespaces, namespaceSelector } = term;
      if (selector === null) continue;
      const own = incomingTerm(cluster, term);
      const among = this.#mayMatch(namespaceSelector === null ? namespaces : "all", selector);
      yield* among.filter((other) => own.matches(other));
    }
    for (const { by, term, repels } of this.#stated.about(template)) {
      if (repels && existingTerm(cluster, term).matches(template)) yield by;
    }
  }

  #mayMatch(namespaces: readonly string[] | "all", selector: LabelSelector): readonly PodTemplate[] {
    for (const namespace of namespaces === "all" ? [...this.#kinds.keys()] : namespaces) this.#readIn(namespace);
    return this.#templates.mayMatch(namespaces, selector);
  }

  #nodesWithPodsOf(template: PodTemplate): readonly number[] {
    this.#readIn(template.namespace);
    return this.#nodesOf.get(template) ?? none;
  }

  /** The templates of a namespace's pods, and the nodes those are on. */
  #readIn(namespace: string): void {
    const kinds = this.#kinds.get(namespace) ?? none;
    this.#kinds.delete(namespace);
    for (const kind of kinds) {
      const template = formOf(kind.template);
      const nodes = this.#nodesOf.get(template) ?? [];
      if (!this.#nodesOf.has(template)) this.#templates.add(template);
      this.#nodesOf.set(template, nodes);
      for (const name of kind.nodes()) {
        const number = this.#numbers.get(name);
        if (number !== undefined && nodes.at(-1) !== number) nodes.push(number);
      }
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
