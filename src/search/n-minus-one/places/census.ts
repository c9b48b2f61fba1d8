import type { PodTemplate } from "../../../model/pod-template.ts";
import type { NodeView } from "../../../model/view.ts";
import type { Counter } from "./counter.ts";

interface Watcher {
  readonly counter: Counter;
  readonly weight: number;
  /** Terminating pods are gone already for it. */
  readonly liveOnly: boolean;
}

/** How many pods of each template stand on each node, and who has to be told when that changes. */
export class Census {
  /** Template → node → pods, terminating ones too. */
  readonly #all = new Map<PodTemplate, Map<number, number>>();
  readonly #live = new Map<PodTemplate, Map<number, number>>();
  readonly #byNamespace = new Map<string, PodTemplate[]>();
  /** Templates with affinity or anti-affinity of any kind, by the namespaces their terms name; "": by a selector. */
  readonly #affine = new Map<string, Set<PodTemplate>>();
  readonly #watchers = new Map<PodTemplate, Watcher[]>();
  readonly #onNode: Map<PodTemplate, readonly [number, number]>[];
  lowestPriority = Number.POSITIVE_INFINITY;
  readonly #onNew: () => void;

  /** `onNew`: a template was never seen before, so that nobody watches it yet. */
  constructor(nodes: number, onNew: () => void) {
    this.#onNode = Array.from({ length: nodes }, () => new Map());
    this.#onNew = onNew;
  }

  get templates(): Iterable<PodTemplate> {
    return this.#all.keys();
  }

  in(namespace: string): readonly PodTemplate[] {
    return this.#byNamespace.get(namespace) ?? [];
  }

  /** Those whose terms may be about pods of this namespace. */
  *affineTo(namespace: string): Iterable<PodTemplate> {
    yield* this.#affine.get(namespace) ?? [];
    for (const template of this.#affine.get("") ?? []) {
      if (this.#affine.get(namespace)?.has(template) !== true) yield template;
    }
  }

  /** Counts what is there, and what changes from now on. */
  watch(template: PodTemplate, watcher: Watcher): void {
    const watchers = this.#watchers.get(template);
    if (watchers === undefined) this.#watchers.set(template, [watcher]);
    else watchers.push(watcher);
    const there = (watcher.liveOnly ? this.#live : this.#all).get(template) ?? new Map<number, number>();
    for (const [node, pods] of there) watcher.counter.add(node, watcher.weight * pods);
  }

  forgetWatchers(): void {
    this.#watchers.clear();
  }

  /** The node has these pods now. */
  set(at: number, { pods }: NodeView): void {
    const before = this.#onNode[at];
    const now = new Map<PodTemplate, [number, number]>();
    for (const { template, terminatingSinceMs } of pods) {
      let count = now.get(template);
      if (count === undefined) {
        count = [0, 0];
        now.set(template, count);
      }
      count[0] += 1;
      if (terminatingSinceMs === null) count[1] += 1;
    }
    for (const [template, [all, live]] of now) {
      const [allBefore, liveBefore] = before?.get(template) ?? nobody;
      if (all !== allBefore || live !== liveBefore) this.add(template, at, all - allBefore, live - liveBefore);
    }
    for (const [template, [all, live]] of before ?? []) if (!now.has(template)) this.add(template, at, -all, -live);
    this.#onNode[at] = now;
  }

  add(template: PodTemplate, at: number, all: number, live: number): void {
    const known = this.#all.get(template) ?? this.#learn(template);
    plus(known, at, all);
    plus(this.#live.get(template) ?? new Map<number, number>(), at, live);
    for (const { counter, weight, liveOnly } of this.#watchers.get(template) ?? []) {
      counter.add(at, weight * (liveOnly ? live : all));
    }
  }

  #learn(template: PodTemplate): Map<number, number> {
    const counts = new Map<number, number>();
    this.#all.set(template, counts);
    this.#live.set(template, new Map());
    this.lowestPriority = Math.min(this.lowestPriority, template.priority);
    const alike = this.#byNamespace.get(template.namespace);
    if (alike === undefined) this.#byNamespace.set(template.namespace, [template]);
    else alike.push(template);
    for (const { namespaces, namespaceSelector } of termsOf(template)) {
      for (const name of namespaceSelector === null ? namespaces : [""]) {
        const affine = this.#affine.get(name) ?? new Set<PodTemplate>();
        this.#affine.set(name, affine.add(template));
      }
    }
    this.#onNew();
    return counts;
  }
}

const nobody = [0, 0] as const;

function termsOf(template: PodTemplate): PodTemplate["requiredPodAffinity"] {
  return [
    ...template.requiredPodAffinity,
    ...template.requiredPodAntiAffinity,
    ...template.preferredPodAffinity.map(({ term }) => term),
    ...template.preferredPodAntiAffinity.map(({ term }) => term),
  ];
}

function plus(counts: Map<number, number>, at: number, amount: number): void {
  const count = (counts.get(at) ?? 0) + amount;
  if (count === 0) counts.delete(at);
  else counts.set(at, count);
}
