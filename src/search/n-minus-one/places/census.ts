import { none } from "../../../base/none.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";
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
  /** Where the pods of each template stood at first: its nodes, one a pod, from a place on. */
  readonly #first: { readonly nodes: Int32Array; readonly starts: Int32Array };
  readonly #onNode: OnNode[];
  /** Changes that some watcher may not have seen. */
  readonly #moves = new Moves();
  /** So many of those are counted above. The others are tried only. */
  #included = 0;
  readonly #shelf = new Shelf();
  /** Numbers of the pods of the node that is told of. */
  readonly #told: number[] = [];

  /** `onNew`: a template was never seen before, so that nobody watches it yet. */
  constructor(byNode: Domains, order: readonly NodeView[], onNew: () => void, listener: PodListener | null) {
    this.#byNode = byNode;
    this.#onNew = () => undefined;
    this.#onNode = order.map((node) => this.#standing(node, listener));
    this.#first = sorted(this.#onNode, this.#numbered.templates.length);
    this.#onNew = onNew;
    for (const [at, { leaving }] of this.#onNode.entries()) for (const number of leaving) this.#leave(number, at, 1);
  }

  /** The numbers of the templates of the node's pods, pod by pod. */
  templatesOn(at: number): Int32Array {
    return (this.#onNode[at] ?? empty).pods;
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
    const before = this.#onNode[at] ?? empty;
    const now = this.#standing(node, null);
    this.#onNode[at] = now;
    const more = new Map<number, Change>();
    noteAll(more, before.pods, now.pods, { all: 1, live: 1 });
    noteAll(more, before.leaving, now.leaving, { all: 0, live: -1 });
    for (const [number, { all, live }] of more) if (all !== 0 || live !== 0) this.#add(number, at, all, live);
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
    const { nodes, starts } = this.#first;
    const count = this.#firstOf(number);
    if (count === 0) return;
    const from = starts[number] ?? 0;
    for (let place = from; place < from + count; place += 1) add(nodes[place] ?? 0);
  }

  /** Of a template, from 0 on. */
  numberOf(template: PodTemplate): number {
    const known = this.#numbered.find(template);
    return known < 0 ? this.#learn(template) : known;
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

  #standing(node: NodeView, listener: PodListener | null): OnNode {
    const told = this.#told;
    let leaving: number[] | null = null;
    let count = 0;
    listener?.node();
    node.tellPods((pod, uid, isTerminating) => {
      const number = this.numberOf(pod.template);
      told[count] = number;
      count += 1;
      if (!isTerminating) {
        listener?.pod(pod, uid, number);
        return;
      }
      leaving ??= [];
      leaving.push(number);
    });
    return { pods: Int32Array.from(told.slice(0, count)), leaving: leaving ?? none };
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
  readonly pods: Int32Array;
  /** Those of them that are terminating. */
  readonly leaving: readonly number[];
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

const empty: OnNode = { pods: new Int32Array(0), leaving: none };

/** After so many changes everybody is told: nothing is kept for ever. */
const movesMax = 1024;

/** What a counter of many domains, each a node, counts. */
function eachCount({ shelf, from, filled, room }: Counter, tell: (node: number, pods: number) => void): void {
  for (let place = from; place < from + filled; place += 1)
    tell(shelf.numbers[place] ?? 0, shelf.numbers[place + room] ?? 0);
}

/** The nodes of all pods, template by template. */
function sorted(
  onNode: readonly OnNode[],
  templates: number,
): { readonly nodes: Int32Array; readonly starts: Int32Array } {
  const starts = new Int32Array(templates + 1);
  for (const { pods } of onNode) for (const number of pods) starts[number + 1] = (starts[number + 1] ?? 0) + 1;
  for (let number = 0; number < templates; number += 1)
    starts[number + 1] = (starts[number + 1] ?? 0) + (starts[number] ?? 0);
  const nodes = new Int32Array(starts[templates] ?? 0);
  const next = starts.slice();
  for (const [at, { pods }] of onNode.entries()) {
    for (const number of pods) {
      const place = next[number] ?? 0;
      nodes[place] = at;
      next[number] = place + 1;
    }
  }
  return { nodes, starts };
}
