import type { LabelSelector } from "../../../model/labels.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";
import type { NodeView } from "../../../model/view.ts";
import { Counter } from "./counter.ts";
import type { Domains } from "./table.ts";

interface Watcher {
  readonly counter: Counter;
  readonly weight: number;
  /** Terminating pods are gone already for it. */
  readonly liveOnly: boolean;
}

/** The pods of one template. */
interface Counted {
  readonly all: Counter;
  /** Terminating ones; null: there were none yet. */
  leaving: Counter | null;
  watchers: Watcher[];
}

/** How many pods of each template stand on each node, and who has to be told when that changes. */
export class Census {
  readonly #byNode: Domains;
  readonly #counted = new Map<PodTemplate, Counted>();
  readonly #byNamespace = new Map<string, PodTemplate[]>();
  /** Namespace → label and value → templates that have it; made when asked for. */
  readonly #byLabel = new Map<string, ReadonlyMap<string, readonly PodTemplate[]>>();
  /** Templates with affinity or anti-affinity of any kind, by the namespaces their terms name; "": by a selector. */
  readonly #affine = new Map<string, Set<PodTemplate>>();
  readonly #onNode: ReadonlyMap<PodTemplate, Pods>[];
  lowestPriority = Number.POSITIVE_INFINITY;
  readonly #onNew: () => void;

  /** `onNew`: a template was never seen before, so that nobody watches it yet. */
  constructor(byNode: Domains, onNew: () => void) {
    this.#byNode = byNode;
    this.#onNode = byNode.nodes.map(() => new Map());
    this.#onNew = onNew;
  }

  /** Those of a namespace, or of any, that a selector matches may be among these; no others are. */
  *mayMatch(namespaces: readonly string[] | "all", selector: LabelSelector): Iterable<PodTemplate> {
    if (selector.invalid) return;
    for (const namespace of namespaces === "all" ? this.#byNamespace.keys() : new Set(namespaces)) {
      let fewest: readonly PodTemplate[] = this.#byNamespace.get(namespace) ?? [];
      for (const { key, operator, values } of selector.requirements) {
        const [value] = values;
        if (operator !== "In" || value === undefined || values.length > 1) continue;
        const alike = this.#labelled(namespace).get(`${key}=${value}`) ?? [];
        if (alike.length < fewest.length) fewest = alike;
      }
      yield* fewest;
    }
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
    const counted = this.#counted.get(template);
    if (counted === undefined) return;
    counted.watchers.push(watcher);
    const { counter, weight, liveOnly } = watcher;
    const { all, leaving } = counted;
    for (const [i, node] of all.filled.entries()) counter.add(node, weight * (all.pods[i] ?? 0));
    if (liveOnly && leaving !== null)
      for (const [i, node] of leaving.filled.entries()) counter.add(node, -weight * (leaving.pods[i] ?? 0));
  }

  forgetWatchers(): void {
    for (const counted of this.#counted.values()) counted.watchers = [];
  }

  /** The node has these pods now. */
  set(at: number, { pods }: NodeView): void {
    const before = this.#onNode[at];
    const now = new Map<PodTemplate, { all: number; live: number }>();
    for (const { template, terminatingSinceMs } of pods) {
      let count = now.get(template);
      if (count === undefined) {
        count = { all: 0, live: 0 };
        now.set(template, count);
      }
      count.all += 1;
      if (terminatingSinceMs === null) count.live += 1;
    }
    for (const [template, { all, live }] of now) {
      const { all: allBefore, live: liveBefore } = before?.get(template) ?? nobody;
      if (all !== allBefore || live !== liveBefore) this.add(template, at, all - allBefore, live - liveBefore);
    }
    for (const [template, { all, live }] of before ?? []) if (!now.has(template)) this.add(template, at, -all, -live);
    this.#onNode[at] = now;
  }

  /** So many pods more, and so many more that are not terminating. */
  add(template: PodTemplate, at: number, all: number, live: number): void {
    const counted = this.#counted.get(template) ?? this.#learn(template);
    counted.all.add(at, all);
    if (all !== live) {
      counted.leaving ??= new Counter(this.#byNode);
      counted.leaving.add(at, all - live);
    }
    for (const { counter, weight, liveOnly } of counted.watchers) counter.add(at, weight * (liveOnly ? live : all));
  }

  #learn(template: PodTemplate): Counted {
    const counted: Counted = { all: new Counter(this.#byNode), leaving: null, watchers: [] };
    this.#counted.set(template, counted);
    this.lowestPriority = Math.min(this.lowestPriority, template.priority);
    const alike = this.#byNamespace.get(template.namespace);
    if (alike === undefined) this.#byNamespace.set(template.namespace, [template]);
    else alike.push(template);
    this.#byLabel.delete(template.namespace);
    for (const { namespaces, namespaceSelector } of termsOf(template)) {
      for (const name of namespaceSelector === null ? namespaces : [""]) {
        const affine = this.#affine.get(name) ?? new Set<PodTemplate>();
        this.#affine.set(name, affine.add(template));
      }
    }
    this.#onNew();
    return counted;
  }

  #labelled(namespace: string): ReadonlyMap<string, readonly PodTemplate[]> {
    const known = this.#byLabel.get(namespace);
    if (known !== undefined) return known;
    const made = new Map<string, PodTemplate[]>();
    for (const template of this.#byNamespace.get(namespace) ?? []) {
      for (const [key, value] of template.labels) {
        const label = `${key}=${value}`;
        const alike = made.get(label);
        if (alike === undefined) made.set(label, [template]);
        else alike.push(template);
      }
    }
    this.#byLabel.set(namespace, made);
    return made;
  }
}

interface Pods {
  readonly all: number;
  readonly live: number;
}

const nobody: Pods = { all: 0, live: 0 };

function termsOf(template: PodTemplate): PodTemplate["requiredPodAffinity"] {
  return [
    ...template.requiredPodAffinity,
    ...template.requiredPodAntiAffinity,
    ...template.preferredPodAffinity.map(({ term }) => term),
    ...template.preferredPodAntiAffinity.map(({ term }) => term),
  ];
}
