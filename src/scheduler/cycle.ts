import { byCodeUnit } from "../base/ordering.ts";
import type { ClusterView, NodeView, PodView } from "../model/view.ts";
import {
  type Cycle,
  type Failed,
  type Failure,
  type FilterRun,
  filterWithNominatedPods,
  type Rejection,
  rejectForGood,
  runPreFilter,
  type Verdict,
} from "./framework.ts";
import { snapshotOrder } from "./node-order.ts";
import { type Profile, profileOf } from "./registry.ts";

export function newCycle(view: ClusterView, pod: PodView): Cycle {
  const nodes = snapshotOrder(view.nodes);
  return { view, pod, minor: view.cluster.version.minor, nodes, nominated: nominatedPods(view, pod) };
}

const nobody: Cycle["nominated"] = new Map();

/** Up to 1.36 a pod that may not enter the queue is in nobody's way, wherever it is nominated to; since 1.37 it is. */
function nominatedPods(view: ClusterView, pod: PodView): Cycle["nominated"] {
  const { minor } = view.cluster.version;
  const { preEnqueue } = profileOf(minor);
  const held = (other: PodView): boolean =>
    minor <= 36 && preEnqueue.some((plugin) => plugin.preEnqueue(view, other) !== null);
  const others = view.nominated.filter((other) => other.uid !== pod.uid && !held(other));
  return others.length === 0 ? nobody : Map.groupBy(others, ({ nominatedNode }) => nominatedNode);
}

/** What the filters say about every node, as if the scheduler looked at all of them. */
export type Filtered =
  | { readonly outcome: "error"; readonly message: string }
  | { readonly outcome: "rejected"; readonly verdict: Rejection; readonly failure: Failure }
  | {
      readonly outcome: "filtered";
      readonly run: FilterRun;
      /** Nodes PreFilter left, in order. */
      readonly nodes: readonly NodeView[];
      readonly restricted: boolean;
      /** One a node of `nodes`. */
      readonly verdicts: readonly Verdict[];
      /** Holds for nodes PreFilter left out. */
      readonly absent: Rejection;
      /** The node the pod is nominated to is looked at first, even when PreFilter left it out. Null: it was not left out. */
      readonly nominatedBeside: { readonly node: NodeView; readonly verdict: Verdict } | null;
    };

export function filterAll(cycle: Cycle, profile: Profile): Filtered {
  const result = runPreFilter(cycle, profile.filters);
  if (result.outcome === "error") return result;
  if (result.outcome === "rejected") {
    const { verdict, run } = result;
    const failure = { verdicts: new Map(), absent: verdict, preFilterMessage: verdict.reasons.join(", "), run };
    return { outcome: "rejected", verdict, failure };
  }
  const { run, nodes: only, restrictedBy } = result;
  if (only === null) return { ...judged(cycle, run, cycle.nodes), restricted: false, ...nobodyLeftOut };
  const within = judged(
    cycle,
    run,
    cycle.nodes.filter(({ name }) => only.has(name)),
  );
  const beside = nominatedBeside(cycle, run, only);
  const first =
    beside?.verdict ?? within.verdicts[within.nodes.findIndex(({ name }) => name === cycle.pod.nominatedNode)];
  const absent = leftOut(restrictedBy, first);
  return { ...within, restricted: true, absent, nominatedBeside: beside };
}

const nobodyLeftOut = { absent: rejectForGood(), nominatedBeside: null };

function judged(cycle: Cycle, run: FilterRun, nodes: readonly NodeView[]) {
  const verdicts = nodes.map((node) => filterWithNominatedPods(cycle, run, node));
  return { outcome: "filtered" as const, run, nodes, verdicts };
}

/** Upstream puts the plugin that rejects the nominated node, looked at first, into the same set of names: an oversight. */
function leftOut(restrictedBy: readonly string[], nominated: Verdict | undefined): Rejection {
  const rejecting =
    nominated === undefined || nominated.code === "Success" || nominated.code === "Error" ? [] : [nominated.plugin];
  const names = [...new Set([...restrictedBy, ...rejecting])].sort(byCodeUnit);
  return rejectForGood(`node(s) didn't satisfy plugin(s) [${names.join(" ")}]`);
}

function nominatedBeside(cycle: Cycle, run: FilterRun, only: ReadonlySet<string>) {
  const { nominatedNode } = cycle.pod;
  if (nominatedNode === "" || only.has(nominatedNode)) return null;
  const node = cycle.nodes.find(({ name }) => name === nominatedNode);
  return node === undefined ? null : { node, verdict: filterWithNominatedPods(cycle, run, node) };
}

/** The nominated node, when it takes the pod: then no other is looked at. */
export function nominatedFit(pod: PodView, filtered: Extract<Filtered, { outcome: "filtered" }>): NodeView | undefined {
  const { nodes, verdicts, nominatedBeside: beside } = filtered;
  if (pod.nominatedNode === "") return undefined;
  if (beside !== null) return beside.verdict.code === "Success" ? beside.node : undefined;
  return nodes.find(({ name }, i) => name === pod.nominatedNode && verdicts[i]?.code === "Success");
}

/** The nodes one search finds: those that pass, from a start on, until there are enough; or the filter that fails on the way. */
export interface Search {
  readonly found: readonly NodeView[];
  readonly evaluated: number;
  readonly failed: Failed | null;
}

export function search(
  { nodes, verdicts }: Extract<Filtered, { outcome: "filtered" }>,
  { start, enough }: { readonly start: number; readonly enough: number },
): Search {
  const found: NodeView[] = [];
  let evaluated = 0;
  for (let i = 0; i < nodes.length; i += 1) {
    const at = (start + i) % nodes.length;
    const node = nodes[at];
    const verdict = verdicts[at];
    if (node === undefined || verdict === undefined) break;
    if (verdict.code === "Error") return { found, evaluated: evaluated + 1, failed: verdict };
    if (verdict.code === "Success") {
      if (found.length === enough) break;
      found.push(node);
    }
    evaluated += 1;
  }
  return { found, evaluated, failed: null };
}

export function failureOf(filtered: Extract<Filtered, { outcome: "filtered" }>): Failure {
  const { nodes, verdicts, absent, nominatedBeside: beside, run } = filtered;
  const rejections = new Map<string, Rejection>();
  const note = (node: NodeView | undefined, verdict: Verdict): void => {
    if (node !== undefined && verdict.code !== "Success" && verdict.code !== "Error") {
      rejections.set(node.name, verdict);
    }
  };
  if (beside !== null) note(beside.node, beside.verdict);
  verdicts.forEach((verdict, i) => {
    note(nodes[i], verdict);
  });
  return { verdicts: rejections, absent, preFilterMessage: "", run };
}
