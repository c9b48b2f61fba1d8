import { byCodeUnit } from "../base/ordering.ts";
import type { ClusterView, NodeView, PodView } from "../model/view.ts";
import { failureOf, filterAll, newCycle, nominatedFit, search } from "./cycle.ts";
import { fitError } from "./fit-error.ts";
import type { Cycle, Failed, Failure, Rejection, Verdict } from "./framework.ts";
import { verdictOn } from "./framework.ts";
import { pickNode } from "./preemption/pick-node.ts";
import { keysOf, selectVictims, type Victims } from "./preemption/victims.ts";
import { profileOf } from "./registry.ts";
import { nodesToFind } from "./sampling.ts";
import { runPostFilters } from "./schedule.ts";
import { type PluginScores, scoreNodes, totals } from "./score-nodes.ts";

/** One step's outcome. `plugin` is "" where the framework itself speaks, or nothing does. */
export interface StepVerdict {
  readonly code: Verdict["code"];
  readonly plugin: string;
  readonly reasons: readonly string[];
}

export interface Candidate {
  readonly node: string;
  /** Most important first. */
  readonly victims: readonly string[];
  /** Victims whose budget does not allow it. */
  readonly violations: number;
}

/** Everything one cycle finds out about a pod. */
export interface Explanation {
  readonly pod: string;
  /** Not null: the pod may not enter the queue, and nothing else is decided. */
  readonly preEnqueue: StepVerdict | null;
  readonly preFilter: StepVerdict;
  /** Nodes PreFilter left to look at; null: all. */
  readonly restricted: readonly string[] | null;
  /** Filters that had something to check, in order. */
  readonly filters: readonly string[];
  /** Every node PreFilter left, without sampling. */
  readonly nodes: readonly (StepVerdict & { readonly node: string })[];
  readonly start: number;
  /** How many nodes were looked at until enough were found. */
  readonly evaluated: number;
  /** Nodes found and scored, in the order they were found. */
  readonly feasible: readonly string[];
  readonly scores: readonly PluginScores[];
  readonly totals: readonly number[];
  /** Nodes with the highest total, by name. */
  readonly top: readonly string[];
  /** What the PodScheduled condition says when no node was found; "" else. */
  readonly message: string;
  /** Null: no preemption helps, or none is needed. */
  readonly preemption: { readonly candidates: readonly Candidate[]; readonly nodes: readonly string[] } | null;
  /** An internal error of the scheduler: it tries again. "" in the usual case. */
  readonly error: string;
}

export interface ExplainOptions {
  readonly start: number;
  /** 0: the scheduler's own choice. */
  readonly percentageOfNodesToScore: number;
}

/** The order in which the scheduler looks at nodes. */

/** One cycle, told in full: what `schedule` decides, and why. For people and for holding the model against the real scheduler. */
export function explain(view: ClusterView, pod: PodView, options: ExplainOptions): Explanation {
  const profile = profileOf(view.cluster.version.minor);
  const nothing = unknown(pod, options.start);
  for (const plugin of profile.preEnqueue) {
    const held = plugin.preEnqueue(view, pod);
    if (held !== null) return { ...nothing, preEnqueue: step({ ...held, plugin: plugin.name }) };
  }
  if (view.nodes.length === 0) return { ...nothing, message: "no nodes available to schedule pods" };
  const cycle = newCycle(view, pod);
  const filtered = filterAll(cycle, profile);
  if (filtered.outcome === "error") {
    return {
      ...nothing,
      preFilter: { code: "Error", plugin: "", reasons: [filtered.message] },
      error: filtered.message,
    };
  }
  if (filtered.outcome === "rejected") {
    return { ...nothing, preFilter: step(filtered.verdict), ...told(cycle, filtered.failure) };
  }
  const { nodes, verdicts, restricted, run } = filtered;
  const judged: Explanation = {
    ...nothing,
    restricted: restricted ? nodes.map(({ name }) => name) : null,
    filters: run.names,
    nodes: nodes.map(({ name }, i) => ({ node: name, ...step(verdicts[i] ?? { code: "Success" }) })),
  };
  const nominated = nominatedFit(pod, filtered);
  if (nominated !== undefined) return { ...judged, evaluated: 1, ...scored(cycle, [nominated]) };
  const enough = nodesToFind(nodes.length, options.percentageOfNodesToScore);
  const { found, evaluated, failed } = search(filtered, { start: options.start, enough });
  if (failed !== null) return { ...judged, evaluated, error: failed.reasons.join(", "), ...scored(cycle, found) };
  if (found.length === 0) return { ...judged, evaluated, ...told(cycle, failureOf(filtered)) };
  return { ...judged, evaluated, ...scored(cycle, found) };
}

function unknown(pod: PodView, start: number): Explanation {
  return {
    pod: pod.key,
    preEnqueue: null,
    preFilter: step({ code: "Success" }),
    restricted: null,
    filters: [],
    nodes: [],
    start,
    evaluated: 0,
    feasible: [],
    scores: [],
    totals: [],
    top: [],
    message: "",
    preemption: null,
    error: "",
  };
}

function step(verdict: Verdict | Rejection | Failed): StepVerdict {
  return verdict.code === "Success"
    ? { code: "Success", plugin: "", reasons: [] }
    : { code: verdict.code, plugin: verdict.plugin, reasons: verdict.reasons };
}

function scored(cycle: Cycle, nodes: readonly NodeView[]): Pick<Explanation, "feasible" | "scores" | "totals" | "top"> {
  const scores = scoreNodes(cycle, profileOf(cycle.minor), nodes);
  const sums = totals(scores, nodes.length);
  const highest = sums.reduce((most, sum) => Math.max(most, sum), Number.NEGATIVE_INFINITY);
  const names = nodes.map(({ name }) => name);
  return { feasible: names, scores, totals: sums, top: names.filter((_, i) => sums[i] === highest).sort(byCodeUnit) };
}

function told(cycle: Cycle, failure: Failure): Pick<Explanation, "message" | "preemption" | "error"> {
  const after = runPostFilters(cycle, profileOf(cycle.minor), failure);
  const message = fitError(cycle.nodes.length, failure, after.reasons.join(", "));
  return { message, preemption: after.candidates.length === 0 ? null : preemption(cycle, failure), error: "" };
}

/** Every node where preemption would help, where the scheduler may stop at enough of them. */
function preemption(cycle: Cycle, failure: Failure): Explanation["preemption"] {
  const { run } = failure;
  if (run === null) return null;
  const found = cycle.nodes
    .filter(({ name }) => verdictOn(failure, name).code === "Unschedulable")
    .map((node) => selectVictims(cycle, run, node))
    .flatMap((selection): Victims[] => (selection.found === "victims" ? [selection.victims] : []));
  return {
    candidates: found
      .map((victims) => ({ node: victims.node, victims: keysOf(victims), violations: victims.budgetViolations }))
      .sort((a, b) => byCodeUnit(a.node, b.node)),
    nodes: pickNode(cycle, found)
      .map(({ node }) => node)
      .sort(byCodeUnit),
  };
}
