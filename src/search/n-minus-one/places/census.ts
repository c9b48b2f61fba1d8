import { none } from "../../../base/none.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";
import { formOf } from "../../../model/template-numbers.ts";
import type { NodeView, ToldPod } from "../../../model/view.ts";
import { Counter } from "./counter.ts";
import { Moves } from "./moves.ts";
import { Numbered } from "./numbered.ts";
import { Shelf } from "./shelf.ts";
import { StatedIndex } from "./stated.ts";
import type { Domains } from "./table.ts";
import { TemplateIndex } from "./template-index.ts";
import { Watcher, type Watching } from "./watcher.ts";

/** How many pods of each template stand on each node, and who has to be told when that changes. */
export class Census {
  readonly index = new TemplateIndex();
  readonly stated = new StatedIndex();
  lowestPriority = Number.POSITIVE_INFINITY;
  /** By the template's number. */
  readonly priorities: number[] = [];
  readonly #byNode: Domains;
  readonly #onNew: () => void;
  readonly #numbered = new Numbered();
  /** By the template's number; null: nothing has changed. */
  readonly #counted: (Counted | null)[] = [];
  /** By the template's number: who watches it, the last one first. */
  readonly #watchers: (Watcher | null)[] = [];
  /** The pods of each node as they were at first, by their templates' numbers. */
  readonly #standing: Sorted;
  /** Where the pods of each template stood then: its nodes, one a pod. */
  readonly #first: Sorted;
  /** The pods of a node that changed since, or that has terminating ones. */
  readonly #onNode = new Map<number, OnNode>();
  /** Changes that some watcher may not have seen. */
  readonly #moves = new Moves();
  /** So many of those are counted above. The others are tried only. */
  #included = 0;
  readonly #shelf = new Shelf();

  /** `onNew`: a template was never seen before, so that nobody watches it yet. */
  constructor(byNode: Domains, order: readonly NodeView[], onNew: () => void, listener: PodListener | null) {
    this.#byNode = byNode;
    this.#onNew = () => undefined;
    const told: number[] = [];
    const starts = new Int32Array(order.length + 1);
    for (const [at, node] of order.entries()) {
      listener?.node();
      const leaving = this.#tell(node, told, listener);
      starts[at + 1] = told.length;
      if (leaving.length > 0) this.#onNode.set(at, { pods: told.slice(starts[at]), templates: none, leaving });
    }
    this.#standing = { values: new Int32Array(told), starts };
    this.#first = turned(this.#standing, this.#numbered.templates.length);
    this.#onNew = onNew;
    for (const [at, { leaving }] of this.#onNode) for (const number of leaving) this.#leave(number, at, 1);
  }

  /** The numbers of the templates of the node's pods, pod by pod. */
  templatesOn(at: number): ArrayLike<number> {
    return this.#on(at).pods;
  }

  #on(at: number): OnNode {
    const { values, starts } = this.#standing;
    return (
      this.#onNode.get(at) ?? { pods: values.subarray(starts[at], starts[at + 1]), templates: none, leaving: none }
    );
  }

  /** Counts what is there, and what changes from now on. */
  watch(template: PodTemplate, watching: Watching): Watcher {
    const number = this.numberOf(template);
    const counted = this.#counted[number] ?? null;
    const moves = this.#moves;
    let seen = moves.lastOf(number);
    while (seen > this.#included) seen = moves.before[seen] ?? 0;
    const watcher = new Watcher(watching, { moves, template: number, seen, next: this.#watchers[number] ?? null });
    this.#watchers[number] = watcher;
    if (counted === null) {
      watcher.expect(this.#firstOf(number));
      this.#eachFirst(number, (node) => watcher.begin(node, 1));
    } else eachCount(counted.all, (node, pods) => watcher.begin(node, pods));
    if (watching.liveOnly && counted !== null && counted.leaving !== null)
      eachCount(counted.leaving, (node, pods) => watcher.begin(node, -pods));
    return watcher;
  }

  forgetWatchers(): void {
    this.#watchers.fill(null);
  }

  /** The node has other pods now. */
  set(at: number, node: NodeView): void {
    const before = this.#on(at);
    const now = this.#now(node, before);
    this.#onNode.set(at, now);
    const more = new Map<number, Change>();
    noteAll(more, before.pods, now.pods, { all: 1, live: 1 });
    noteAll(more, before.leaving, now.leaving, { all: 0, live: -1 });
    for (const [number, { all, live }] of more) if (all !== 0 || live !== 0) this.#add(number, at, all, live);
  }

  /** What stands there now. Mostly that is what stood there before, in that order: of those nobody's number is looked up. */
  #now({ pods: views }: NodeView, before: OnNode): OnNode {
    const pods: number[] = [];
    const templates: PodTemplate[] = [];
    let leaving: number[] | null = null;
    let place = 0;
    for (let i = 0; i < views.length; i += 1) {
      const view = views[i];
      if (view === undefined) continue;
      const { template } = view;
      // One may have gone from before it.
      if (before.templates[place] !== template && before.templates[place + 1] === template) place += 1;
      const number = before.templates[place] === template ? (before.pods[place] ?? 0) : this.numberOf(template);
      place += 1;
      pods.push(number);
      templates.push(template);
      if (view.terminatingSinceMs === null) continue;
      leaving ??= [];
      leaving.push(number);
    }
    return { pods, templates, leaving: leaving ?? none };
  }

  /** One pod of a template more (1) or less (-1), until it is taken back. */
  tryMove(template: number, at: number, sign: 1 | -1): void {
    this.#moves.push(template, at, sign, sign);
  }

  /** What was tried is forgotten: those who have seen it take it back themselves. */
  forgetMoves(): void {
    this.#moves.forget();
    this.#included = 0;
  }

  /** All watchers see all changes. */
  settle(): void {
    const moves = this.#moves;
    for (let change = 1; change <= moves.count; change += 1) {
      const number = moves.template[change] ?? 0;
      if (moves.lastOf(number) !== change) continue;
      for (let each = this.#watchers[number] ?? null; each !== null; each = each.next) each.settle();
    }
    this.forgetMoves();
  }

  #add(number: number, at: number, all: number, live: number): void {
    const counted = this.#countedBy(number);
    counted.all.add(at, all);
    if (all !== live) this.#leave(number, at, all - live);
    if (this.#watchers[number] === null) return;
    this.#moves.push(number, at, all, live);
    this.#included = this.#moves.count;
    if (this.#included > movesMax) this.settle();
  }

  #leave(number: number, at: number, amount: number): void {
    const counted = this.#countedBy(number);
    counted.leaving ??= new Counter(this.#shelf, this.#byNode);
    counted.leaving.add(at, amount);
  }

  #countedBy(number: number): Counted {
    const counted = this.#counted[number] ?? { all: this.#standingAtFirst(number), leaving: null };
    this.#counted[number] = counted;
    return counted;
  }

  #standingAtFirst(number: number): Counter {
    const standing = new Counter(this.#shelf, this.#byNode);
    standing.expect(this.#firstOf(number));
    this.#eachFirst(number, (node) => standing.add(node, 1));
    return standing;
  }

  /** So many pods; none of a template that came later. */
  #firstOf(number: number): number {
    const { starts } = this.#first;
    return number + 1 < starts.length ? (starts[number + 1] ?? 0) - (starts[number] ?? 0) : 0;
  }

  #eachFirst(number: number, add: (node: number) => void): void {
    const { values: nodes, starts } = this.#first;
    const count = this.#firstOf(number);
    if (count === 0) return;
    const from = starts[number] ?? 0;
    for (let place = from; place < from + count; place += 1) add(nodes[place] ?? 0);
  }

  /** Of a template, from 0 on; the same for those that differ in nothing but the node they name. */
  numberOf(template: PodTemplate): number {
    const known = this.#numbered.find(template);
    if (known >= 0) return known;
    const form = formOf(template);
    if (form === template) return this.#learn(template);
    const number = this.numberOf(form);
    this.#numbered.alsoKnow(template, number);
    return number;
  }

  #learn(template: PodTemplate): number {
    const number = this.#numbered.add(template);
    this.#counted.push(null);
    this.#watchers.push(null);
    this.#moves.learn(number);
    this.priorities.push(template.priority);
    this.lowestPriority = Math.min(this.lowestPriority, template.priority);
    this.index.add(template);
    this.stated.add(template);
    this.#onNew();
    return number;
  }

  /** Adds the numbers of the templates of its pods, pod by pod, and returns those of the terminating ones. */
  #tell(node: NodeView, into: number[], listener: PodListener | null): readonly number[] {
    let leaving: number[] | null = null;
    node.tellPods((pod, uid, isTerminating) => {
      const number = this.numberOf(pod.template);
      into.push(number);
      if (!isTerminating) {
        listener?.pod(pod, uid, number);
        return;
      }
      leaving ??= [];
      leaving.push(number);
    });
    return leaving ?? none;
  }
}

/** Hears of all pods at the beginning, node by node: a look at each costs more than what is done with it. */
export interface PodListener {
  /** Those of the next node follow. */
  node(): void;
  /** One that is not terminating, and the number of its template. */
  pod(pod: ToldPod, uid: number, template: number): void;
}

/** The pods of a node as they were, by their templates' numbers. */
interface OnNode {
  readonly pods: ArrayLike<number>;
  /** Those templates; empty: nobody has looked since the beginning. */
  readonly templates: readonly PodTemplate[];
  /** Those of them that are terminating. */
  readonly leaving: readonly number[];
}

/** Values in groups: those of each stand together, from a place on. One more place, where the last ones end. */
interface Sorted {
  readonly values: Int32Array;
  readonly starts: Int32Array;
}

/** So many pods of a template more, and of those that are not terminating. */
interface Change {
  readonly all: number;
  readonly live: number;
}

/** What came and went from one list of templates to another. On most nodes that is one pod, and both begin and end alike. */
function noteAll(
  more: Map<number, Change>,
  before: ArrayLike<number>,
  now: ArrayLike<number>,
  { all, live }: Change,
): void {
  let start = 0;
  let gone = before.length;
  let came = now.length;
  while (start < gone && start < came && before[start] === now[start]) start += 1;
  while (gone > start && came > start && before[gone - 1] === now[came - 1]) {
    gone -= 1;
    came -= 1;
  }
  const note = (number: number, sign: 1 | -1): void => {
    const known = more.get(number);
    more.set(number, { all: (known?.all ?? 0) + sign * all, live: (known?.live ?? 0) + sign * live });
  };
  for (let i = start; i < gone; i += 1) note(before[i] ?? 0, -1);
  for (let i = start; i < came; i += 1) note(now[i] ?? 0, 1);
}

/** The pods of one template. */
interface Counted {
  readonly all: Counter;
  /** Terminating ones; null: there were none yet. */
  leaving: Counter | null;
}

/** After so many changes everybody is told: nothing is kept for ever. */
const movesMax = 1024;

/** What a counter of many domains, each a node, counts. */
function eachCount({ shelf, from, filled, room }: Counter, tell: (node: number, pods: number) => void): void {
  for (let place = from; place < from + filled; place += 1)
    tell(shelf.numbers[place] ?? 0, shelf.numbers[place + room] ?? 0);
}

/** The groups of each value, of so many; a group comes again for each time that it has the value. */
function turned({ values, starts: groups }: Sorted, count: number): Sorted {
  const starts = new Int32Array(count + 1);
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    starts[value + 1] = (starts[value + 1] ?? 0) + 1;
  }
  for (let value = 0; value < count; value += 1) starts[value + 1] = (starts[value + 1] ?? 0) + (starts[value] ?? 0);
  const next = starts.slice();
  const turned = new Int32Array(values.length);
  for (let group = 0; group + 1 < groups.length; group += 1) {
    const end = groups[group + 1] ?? 0;
    for (let i = groups[group] ?? 0; i < end; i += 1) {
      const value = values[i] ?? 0;
      const place = next[value] ?? 0;
      turned[place] = group;
      next[value] = place + 1;
    }
  }
  return { values: turned, starts };
}
