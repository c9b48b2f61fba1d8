import { listed } from "../../../base/listed.ts";
import { LabelIndex, namedLabel } from "../../../model/label-index.ts";
import type { LabelSelector } from "../../../model/labels.ts";
import type { PodAffinityTerm, PodTemplate } from "../../../model/pod-template.ts";
import type { NodeView } from "../../../model/view.ts";
import { hasAffinity } from "../../../scheduler/node-pods.ts";
import { Counter } from "./counter.ts";
import type { Domains } from "./table.ts";

/** Says of pods that come where its own are, or near them. */
export interface Stated {
  readonly by: PodTemplate;
  readonly term: PodAffinityTerm;
  /** Required anti-affinity keeps them away; the others are weighed. */
  readonly repels: boolean;
  readonly weight: number;
}

/** The pods of one template. */
export class Counted {
  readonly all: Counter;
  /** Terminating ones; null: there were none yet. */
  leaving: Counter | null = null;
  /** Changes that some watcher may not have seen: node, how many pods more, and how many more that are not terminating. */
  readonly moves: number[] = [];
  /** So many of the numbers in `moves` are in the counters above. The others are tried only. */
  included = 0;
  readonly watchers: Watcher[] = [];

  constructor(byNode: Domains) {
    this.all = new Counter(byNode);
  }
}

/** Counts the pods of one template for a counter, with all changes up to the last time it was asked to. */
export class Watcher {
  readonly #counted: Counted;
  readonly #counter: Counter;
  readonly #weight: number;
  /** Terminating pods are gone already for it. */
  readonly #liveOnly: boolean;
  #seen: number;

  constructor(counted: Counted, { counter, weight, liveOnly }: Watching) {
    this.#counted = counted;
    this.#counter = counter;
    this.#weight = weight;
    this.#liveOnly = liveOnly;
    this.#seen = counted.included;
    const { all, leaving } = counted;
    for (const [i, node] of all.filled.entries()) counter.add(node, weight * (all.pods[i] ?? 0));
    if (!liveOnly || leaving === null) return;
    for (const [i, node] of leaving.filled.entries()) counter.add(node, -weight * (leaving.pods[i] ?? 0));
  }

  catchUp(): void {
    const { moves } = this.#counted;
    if (this.#seen === moves.length) return;
    this.#add(this.#seen, moves.length, this.#weight);
    this.#seen = moves.length;
  }

  /** What was tried is taken back. */
  takeBack(): void {
    if (this.#seen === 0) return;
    this.#add(0, this.#seen, -this.#weight);
    this.#seen = 0;
  }

  /** All is seen, and the list of changes begins anew. */
  settle(): void {
    this.catchUp();
    this.#seen = 0;
  }

  #add(from: number, to: number, weight: number): void {
    const { moves } = this.#counted;
    for (let i = from; i < to; i += 3) {
      this.#counter.add(moves[i] ?? 0, weight * (moves[this.#liveOnly ? i + 2 : i + 1] ?? 0));
    }
  }
}

interface Watching {
  readonly counter: Counter;
  readonly weight: number;
  readonly liveOnly: boolean;
}

/** How many pods of each template stand on each node, and who has to be told when that changes. */
export class Census {
  readonly #byNode: Domains;
  readonly #counted = new Map<PodTemplate, Counted>();
  /** Those with changes that are not settled. */
  readonly #moved: Counted[] = [];
  readonly #byNamespace = new Map<string, PodTemplate[]>();
  readonly #byLabel = new LabelIndex<PodTemplate>();
  /** Namespaces whose templates are in it: those that were asked for. */
  readonly #labelled = new Set<string>();
  /** Affinity of all kinds, by a namespace it is about ("": by a selector) and a label that pods it is about have. */
  readonly #stated = new LabelIndex<Stated>();
  /** Where no label tells: by namespace. */
  readonly #statedOfAny = new Map<string, Stated[]>();
  readonly #onNode: OnNode[] = [];
  lowestPriority = Number.POSITIVE_INFINITY;
  readonly #onNew: () => void;

  /** `onNew`: a template was never seen before, so that nobody watches it yet. */
  constructor(byNode: Domains, onNew: () => void) {
    this.#byNode = byNode;
    this.#onNew = onNew;
  }

  /** Those of a namespace, or of any, that a selector matches are among these. */
  mayMatch(namespaces: readonly string[] | "all", selector: LabelSelector): readonly PodTemplate[] {
    if (selector.invalid) return [];
    const label = namedLabel(selector);
    const those = (namespace: string): readonly PodTemplate[] => {
      const all = this.#byNamespace.get(namespace) ?? [];
      if (label === null) return all;
      if (!this.#labelled.has(namespace)) for (const template of all) this.#label(template);
      this.#labelled.add(namespace);
      return this.#byLabel.under(namespace, label.key, label.value);
    };
    const [only, ...more] = namespaces === "all" ? this.#byNamespace.keys() : new Set(namespaces);
    if (only === undefined) return [];
    return more.length === 0 ? those(only) : [only, ...more].flatMap(those);
  }

  /** What may be about pods of this template. */
  statedAbout({ namespace, labels }: PodTemplate): readonly Stated[] {
    return [namespace, ""].flatMap((about) => [
      ...this.#stated.about(about, labels),
      ...(this.#statedOfAny.get(about) ?? []),
    ]);
  }

  countedOf(template: PodTemplate): Counted {
    return this.#counted.get(template) ?? this.#learn(template);
  }

  /** Counts what is there, and what changes from now on. */
  watch(template: PodTemplate, watching: Watching): Watcher {
    const counted = this.countedOf(template);
    const watcher = new Watcher(counted, watching);
    counted.watchers.push(watcher);
    return watcher;
  }

  forgetWatchers(): void {
    for (const { watchers } of this.#counted.values()) watchers.length = 0;
  }

  /** The node has these pods now. */
  set(at: number, { pods }: NodeView): void {
    const before = this.#onNode[at];
    const templates = pods.map(({ template }) => template);
    const isLeaving = pods.map(({ terminatingSinceMs }) => terminatingSinceMs !== null);
    this.#onNode[at] = { templates, isLeaving };
    if (before !== undefined) this.#addDifference(at, before, { templates, isLeaving });
    else for (const [i, template] of templates.entries()) this.#add(template, at, 1, isLeaving[i] === true ? 0 : 1);
  }

  #addDifference(at: number, before: OnNode, now: OnNode): void {
    const more = new Map<PodTemplate, { all: number; live: number }>();
    const note = ({ templates, isLeaving }: OnNode, sign: 1 | -1): void => {
      for (const [i, template] of templates.entries()) {
        const change = more.get(template) ?? { all: 0, live: 0 };
        more.set(template, change);
        change.all += sign;
        if (isLeaving[i] === false) change.live += sign;
      }
    };
    note(before, -1);
    note(now, 1);
    for (const [template, { all, live }] of more) if (all !== 0 || live !== 0) this.#add(template, at, all, live);
  }

  /** One pod more (1) or less (-1), until it is taken back. */
  tryMove(counted: Counted, at: number, sign: 1 | -1): void {
    this.#note(counted, at, sign, sign);
  }

  /** What was tried is forgotten: those who have seen it take it back themselves. */
  forgetMoves(): void {
    for (const { moves } of this.#moved) moves.length = 0;
    this.#moved.length = 0;
  }

  /** All watchers see all changes. */
  settle(): void {
    for (const counted of this.#moved) {
      for (const watcher of counted.watchers) watcher.settle();
      counted.moves.length = 0;
      counted.included = 0;
    }
    this.#moved.length = 0;
  }

  #add(template: PodTemplate, at: number, all: number, live: number): void {
    const counted = this.countedOf(template);
    counted.all.add(at, all);
    if (all !== live) {
      counted.leaving ??= new Counter(this.#byNode);
      counted.leaving.add(at, all - live);
    }
    if (counted.watchers.length === 0) return;
    this.#note(counted, at, all, live);
    counted.included = counted.moves.length;
    if (counted.moves.length > movesMax) this.settle();
  }

  #note(counted: Counted, at: number, all: number, live: number): void {
    if (counted.moves.length === 0) this.#moved.push(counted);
    counted.moves.push(at, all, live);
  }

  #learn(template: PodTemplate): Counted {
    const counted = new Counted(this.#byNode);
    this.#counted.set(template, counted);
    this.lowestPriority = Math.min(this.lowestPriority, template.priority);
    listed(this.#byNamespace, template.namespace, template);
    if (this.#labelled.has(template.namespace)) this.#label(template);
    if (hasAffinity(template)) for (const stated of statedBy(template)) this.#state(stated);
    this.#onNew();
    return counted;
  }

  #label(template: PodTemplate): void {
    for (const [key, value] of template.labels) this.#byLabel.add(template.namespace, key, value, template);
  }

  #state(stated: Stated): void {
    const { selector, namespaces, namespaceSelector } = stated.term;
    if (selector === null || selector.invalid) return;
    const label = namedLabel(selector);
    for (const about of namespaceSelector === null ? namespaces : [""]) {
      if (label === null) listed(this.#statedOfAny, about, stated);
      else this.#stated.add(about, label.key, label.value, stated);
    }
  }
}

/** The pods of a node as they were: beside each other. */
interface OnNode {
  readonly templates: readonly PodTemplate[];
  readonly isLeaving: readonly boolean[];
}

/** After so many changes of one template everybody is told: nothing is kept for ever. */
const movesMax = 3 * 64;

function* statedBy(by: PodTemplate): Iterable<Stated> {
  for (const term of by.requiredPodAntiAffinity) yield { by, term, repels: true, weight: 1 };
  for (const term of by.requiredPodAffinity) yield { by, term, repels: false, weight: 1 };
  for (const { term, weight } of by.preferredPodAffinity) yield { by, term, repels: false, weight };
  for (const { term, weight } of by.preferredPodAntiAffinity) yield { by, term, repels: false, weight: -weight };
}
