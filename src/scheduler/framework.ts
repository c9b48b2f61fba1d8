import type { Minor } from "../model/cluster.ts";
import { combine } from "../model/resources.ts";
import { type ClusterView, type Effect, type NodeView, type PodView, type TellPod, tellAll } from "../model/view.ts";

/**
 * The scheduler's framework: what a filter, a score and a post filter is, and how a cycle runs them.
 * Mirrors: pkg/scheduler/framework/runtime/framework.go, Kubernetes 1.34 to 1.37 (RunPreFilterPlugins, RunFilterPlugins,
 * RunFilterPluginsWithNominatedPods, RunScorePlugins).
 */

/** One pod looked for a place once. Its identity stands for upstream's CycleState: a plugin keeps what belongs to it in a WeakMap by it. */
export interface Cycle {
  readonly view: ClusterView;
  readonly pod: PodView;
  readonly minor: Minor;
  /** All nodes, in the order of the scheduler's snapshot. */
  readonly nodes: readonly NodeView[];
  /** Node name → pods that wait for room preemption made there for them. Without the pod itself. */
  readonly nominated: ReadonlyMap<string, readonly PodView[]>;
}

/** The names are the scheduler's own codes. */
export type Verdict = Pass | Rejection | Failed;

export interface Pass {
  readonly code: "Success";
}

/** `Unschedulable`: removing pods may help. `UnschedulableAndUnresolvable`: nothing preemption can do changes it. */
export interface Rejection {
  readonly code: "Unschedulable" | "UnschedulableAndUnresolvable";
  /** "" until the framework fills it in. */
  readonly plugin: string;
  readonly reasons: readonly string[];
}

/** Upstream's internal error: the cycle ends and is tried again. */
export interface Failed {
  readonly code: "Error";
  readonly plugin: string;
  readonly reasons: readonly string[];
}

export const pass: Pass = { code: "Success" };

export function rejectForNow(...reasons: readonly string[]): Rejection {
  return { code: "Unschedulable", plugin: "", reasons };
}

export function rejectForGood(...reasons: readonly string[]): Rejection {
  return { code: "UnschedulableAndUnresolvable", plugin: "", reasons };
}

export function failed(reason: string): Failed {
  return { code: "Error", plugin: "", reasons: [reason] };
}

/** Looks at a pod before it enters the queue. */
export interface PreEnqueue {
  readonly name: string;
  /** Null: nothing holds the pod. */
  preEnqueue(view: ClusterView, pod: PodView): Rejection | null;
}

/** One filter plugin. `prepare` is PreFilter: it looks at the pod once, before any node. */
export interface Filter {
  readonly name: string;
  prepare(cycle: Cycle): Prepared;
}

export type Prepared =
  /** The filter has no say over this pod. */
  | { readonly do: "skip" }
  | {
      readonly do: "check";
      readonly check: NodeCheck;
      /** Names of the only nodes that can pass; null: all. Nodes that do not exist may be named. */
      readonly nodes: ReadonlySet<string> | null;
    }
  /** No node can take the pod. `check` serves preemption, which still looks at nodes after an `Unschedulable`. */
  | { readonly do: "reject"; readonly verdict: Rejection | Failed; readonly check: NodeCheck | null };

export const skip: Prepared = { do: "skip" };

export function checkNodes(check: NodeCheck, nodes: ReadonlySet<string> | null = null): Prepared {
  return { do: "check", check, nodes };
}

export function rejectAll(verdict: Rejection | Failed, check: NodeCheck | null = null): Prepared {
  return { do: "reject", verdict, check };
}

/**
 * A filter after its look at the pod. It sees pods on a node through the NodeView it is given, which may be an overlay with
 * pods added or taken away; what it counted of pods elsewhere must follow podAdded and podRemoved.
 */
export interface NodeCheck {
  filter(node: NodeView): Verdict;
  /** A copy that can be changed without changing this one. */
  fork(): NodeCheck;
  podAdded(pod: PodView, node: NodeView): void;
  podRemoved(pod: PodView, node: NodeView): void;
  /** What reserving on this node does beside binding. Called for nodes that pass only. */
  reserve(node: NodeView): readonly Effect[];
}

/** A check that remembers nothing about other pods. */
export function perNode(filter: (node: NodeView) => Verdict): NodeCheck {
  const check: NodeCheck = { filter, fork: () => check, podAdded() {}, podRemoved() {}, reserve: () => [] };
  return check;
}

/** One score plugin. `prepare` is PreScore over the nodes that passed; null: the plugin gives no score in this cycle. */
export interface Score {
  readonly name: string;
  prepare(cycle: Cycle, nodes: readonly NodeView[]): NodeScore | null;
}

export interface NodeScore {
  raw(node: NodeView): number;
  /** Raw scores → scores from 0 to 100, in the same order. */
  normalize(raw: readonly number[], nodes: readonly NodeView[]): readonly number[];
}

/** A score that is final as it is: upstream has no ScoreExtensions for it. */
export function notNormalized(raw: readonly number[]): readonly number[] {
  return raw;
}

/** What a cycle that found no node knows, for post filters and the message. */
export interface Failure {
  /** Nodes that were looked at. */
  readonly verdicts: ReadonlyMap<string, Rejection>;
  /** What holds for all other nodes. */
  readonly absent: Rejection;
  /** Message of the PreFilter that rejected all nodes; "": none did. */
  readonly preFilterMessage: string;
  /** Null when PreFilter ended early: then no node can be helped. */
  readonly run: FilterRun | null;
}

export function verdictOn(failure: Failure, node: string): Rejection {
  return failure.verdicts.get(node) ?? failure.absent;
}

/** One post filter plugin: tries to make room once no node fits. */
export interface PostFilter {
  readonly name: string;
  run(cycle: Cycle, failure: Failure): PostFilterOutcome;
}

export interface PostFilterOutcome {
  /** Success ends the list, as UnschedulableAndUnresolvable and Error do. */
  readonly code: "Success" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Error";
  readonly reasons: readonly string[];
  /** Nodes preemption could choose, best first; those after the first are ties. */
  readonly candidates: readonly {
    readonly node: string;
    readonly victims: readonly string[];
    /** Another choice of victims is as possible as this one. */
    readonly drawn: boolean;
  }[];
  readonly effects: readonly Effect[];
}

/** All filters after PreFilter, without those that skip. */
export class FilterRun {
  readonly #filters: readonly { readonly name: string; readonly check: NodeCheck }[];

  constructor(filters: readonly { readonly name: string; readonly check: NodeCheck }[]) {
    this.#filters = filters;
  }

  /** Filters that have something to check, in order. */
  get names(): readonly string[] {
    return this.#filters.map(({ name }) => name);
  }

  /** The first filter that does not pass speaks. */
  filter(node: NodeView): Verdict {
    for (const { name, check } of this.#filters) {
      const verdict = check.filter(node);
      if (verdict.code === "Success") continue;
      if (verdict.code !== "Error") return { ...verdict, plugin: name };
      return {
        code: "Error",
        plugin: name,
        reasons: [`running "${name}" filter plugin: ${verdict.reasons.join(", ")}`],
      };
    }
    return pass;
  }

  fork(): FilterRun {
    return new FilterRun(this.#filters.map(({ name, check }) => ({ name, check: check.fork() })));
  }

  podAdded(pod: PodView, node: NodeView): void {
    for (const { check } of this.#filters) check.podAdded(pod, node);
  }

  podRemoved(pod: PodView, node: NodeView): void {
    for (const { check } of this.#filters) check.podRemoved(pod, node);
  }

  reserve(node: NodeView): readonly Effect[] {
    return this.#filters.flatMap(({ check }) => check.reserve(node));
  }
}

export type PreFilterResult =
  | { readonly outcome: "error"; readonly message: string }
  | { readonly outcome: "rejected"; readonly verdict: Rejection; readonly run: FilterRun | null }
  | {
      readonly outcome: "ready";
      readonly run: FilterRun;
      /** Null: all nodes. */
      readonly nodes: ReadonlySet<string> | null;
      /** Plugins that restricted the nodes, sorted. */
      readonly restrictedBy: readonly string[];
    };

/** An `Unschedulable` lets the other plugins prepare (preemption needs them), an `UnschedulableAndUnresolvable` ends at once. */
export function runPreFilter(cycle: Cycle, filters: readonly Filter[]): PreFilterResult {
  const checks: { name: string; check: NodeCheck }[] = [];
  const restrictedBy: string[] = [];
  let nodes: ReadonlySet<string> | null = null;
  let rejected: Rejection | null = null;
  for (const filter of filters) {
    const prepared = filter.prepare(cycle);
    if (prepared.do === "skip") continue;
    if (prepared.check !== null) checks.push({ name: filter.name, check: prepared.check });
    if (prepared.do === "reject") {
      const { verdict } = prepared;
      if (verdict.code === "Error") {
        const reason = verdict.reasons.join(", ");
        return { outcome: "error", message: `running PreFilter plugin "${filter.name}": ${reason}` };
      }
      const named: Rejection = { ...verdict, plugin: filter.name };
      if (verdict.code === "UnschedulableAndUnresolvable") return { outcome: "rejected", verdict: named, run: null };
      rejected = named;
      continue;
    }
    if (prepared.nodes === null) continue;
    restrictedBy.push(filter.name);
    nodes = nodes === null ? prepared.nodes : nodes.intersection(prepared.nodes);
    if (nodes.size === 0) return { outcome: "rejected", verdict: noNodeLeft(restrictedBy), run: null };
  }
  const run = new FilterRun(checks);
  if (rejected !== null) return { outcome: "rejected", verdict: rejected, run };
  return { outcome: "ready", run, nodes, restrictedBy: restrictedBy.sort() };
}

function noNodeLeft(plugins: readonly string[]): Rejection {
  const sorted = [...plugins].sort();
  const [only] = sorted;
  return rejectForGood(
    sorted.length === 1 && only !== undefined
      ? `node(s) didn't satisfy plugin ${only}`
      : `node(s) didn't satisfy plugin(s) [${sorted.join(" ")}] simultaneously`,
  );
}

/**
 * Filters a node twice when pods of equal or higher priority are nominated to it: with them (they take room and repel) and
 * without them (they may go elsewhere, so affinity to them must not be needed).
 */
export function filterWithNominatedPods(cycle: Cycle, run: FilterRun, node: NodeView): Verdict {
  const yieldTo = cycle.nominated
    .get(node.name)
    ?.filter((other) => other.template.priority >= cycle.pod.template.priority && other.uid !== cycle.pod.uid);
  if (yieldTo === undefined || yieldTo.length === 0) return run.filter(node);
  const runWithThem = run.fork();
  const nodeWithThem = new NodeOverlay(node);
  for (const pod of yieldTo) {
    nodeWithThem.add(pod);
    runWithThem.podAdded(pod, nodeWithThem);
  }
  const verdict = runWithThem.filter(nodeWithThem);
  return verdict.code === "Success" ? run.filter(node) : verdict;
}

/** A node as it would be with some pods more or less. */
export class NodeOverlay implements NodeView {
  readonly #base: NodeView;
  #pods: readonly PodView[];
  #requested: NodeView["requested"];
  #nonZeroMilliCpu: number;
  #nonZeroMemoryBytes: number;
  #generation = 0;

  constructor(base: NodeView) {
    this.#base = base;
    this.#pods = base.pods;
    this.#requested = base.requested;
    this.#nonZeroMilliCpu = base.nonZeroMilliCpu;
    this.#nonZeroMemoryBytes = base.nonZeroMemoryBytes;
  }

  get name(): string {
    return this.#base.name;
  }
  get node(): NodeView["node"] {
    return this.#base.node;
  }
  get unschedulable(): boolean {
    return this.#base.unschedulable;
  }
  get taints(): NodeView["taints"] {
    return this.#base.taints;
  }
  get ready(): boolean {
    return this.#base.ready;
  }
  get pods(): readonly PodView[] {
    return this.#pods;
  }
  tellPods(tell: TellPod): void {
    tellAll(this.#pods, tell);
  }
  get podCount(): number {
    return this.#pods.length;
  }
  get requested(): NodeView["requested"] {
    return this.#requested;
  }
  get nonZeroMilliCpu(): number {
    return this.#nonZeroMilliCpu;
  }
  get nonZeroMemoryBytes(): number {
    return this.#nonZeroMemoryBytes;
  }
  get generation(): number {
    return this.#generation;
  }
  /** Nothing but its pods ever changes. */
  get podsGeneration(): number {
    return this.#generation;
  }

  add(pod: PodView): void {
    this.#pods = [...this.#pods, pod];
    this.#count(pod, 1);
  }

  remove(pod: PodView): void {
    this.#pods = this.#pods.filter((other) => other.uid !== pod.uid);
    this.#count(pod, -1);
  }

  #count(pod: PodView, sign: 1 | -1): void {
    this.#requested = combine(this.#requested, pod.requests, sign);
    this.#nonZeroMilliCpu += sign * pod.nonZeroMilliCpu;
    this.#nonZeroMemoryBytes += sign * pod.nonZeroMemoryBytes;
    this.#generation += 1;
  }
}
