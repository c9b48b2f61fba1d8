import type { ClusterView, NodeView, PodView } from "../model/view.ts";
import { type Filtered, failureOf, filterAll, newCycle, nominatedFit, search } from "./cycle.ts";
import { fitError } from "./fit-error.ts";
import type { Cycle, Failure, PostFilterOutcome } from "./framework.ts";
import { type Profile, profileOf } from "./registry.ts";
import type { SchedulingResult } from "./result.ts";
import { nodesToFind } from "./sampling.ts";
import { best } from "./score-nodes.ts";

export interface ScheduleOptions {
  /**
   * Where in the node order the search begins; it matters from 100 nodes on, where the scheduler stops once it has found enough.
   * It goes on from where the last search ended, so that from outside only "any" is known.
   */
  readonly start: number | "any";
  /** percentageOfNodesToScore of the scheduler's configuration; 0: its own choice. */
  readonly percentageOfNodesToScore: number;
}

export const anyStart: ScheduleOptions = { start: "any", percentageOfNodesToScore: 0 };

/**
 * One scheduling cycle for one pod: what kube-scheduler's default profile would do now.
 * Mirrors: pkg/scheduler/schedule_one.go, Kubernetes 1.34 to 1.37. Since 1.35 the scheduler may reuse the scores of the pod
 * before for one that is the same in all it looks at, when the node taken then is full now; scoring afresh, as here, gives the same
 * order but for roundings.
 */
export function schedule(view: ClusterView, pod: PodView, options: ScheduleOptions): SchedulingResult {
  const { schedulerName } = pod.template;
  if (schedulerName !== "default-scheduler") return { outcome: "notOurs", schedulerName };
  const profile = profileOf(view.cluster.version.minor);
  for (const plugin of profile.preEnqueue) {
    const held = plugin.preEnqueue(view, pod);
    if (held === null) continue;
    const message = plugin.name === "SchedulingGates" ? gatedMessage : held.reasons.join(", ");
    return { outcome: "gated", message };
  }
  if (view.nodes.length === 0) return unschedulable("no nodes available to schedule pods", null);
  const cycle = newCycle(view, pod);
  const filtered = filterAll(cycle, profile);
  if (filtered.outcome === "error") return { outcome: "error", message: filtered.message };
  if (filtered.outcome === "rejected") return nowhere(cycle, profile, filtered.failure);
  return place({ cycle, profile, filtered, options });
}

/** What the API server writes into the PodScheduled condition of a gated pod. */
const gatedMessage = "Scheduling is blocked due to non-empty scheduling gates";

interface Placing {
  readonly cycle: Cycle;
  readonly profile: Profile;
  readonly filtered: Extract<Filtered, { outcome: "filtered" }>;
  readonly options: ScheduleOptions;
}

function place(placing: Placing): SchedulingResult {
  const { cycle, profile, filtered, options } = placing;
  const { nodes, verdicts, run } = filtered;
  const passing = nodes.filter((_, i) => verdicts[i]?.code === "Success");
  const nominated = nominatedFit(cycle.pod, filtered);
  const feasible = nominated === undefined || passing.includes(nominated) ? passing : [nominated, ...passing];
  let top: readonly NodeView[];
  if (nominated !== undefined) top = [nominated];
  else {
    const enough = nodesToFind(nodes.length, options.percentageOfNodesToScore);
    const { failed } = search(filtered, { start: options.start === "any" ? 0 : options.start, enough });
    if (failed !== null) return { outcome: "error", message: failed.reasons.join(", ") };
    if (feasible.length === 0) return nowhere(cycle, profile, failureOf(filtered));
    top = feasible.length <= enough ? best(cycle, profile, feasible) : sampled(placing, feasible, enough);
  }
  const byName = new Map(feasible.map((node) => [node.name, node]));
  return {
    outcome: "bind",
    top: top.map(({ name }) => name),
    feasible: feasible.map(({ name }) => name),
    effectsOn(name) {
      const node = byName.get(name);
      return node === undefined ? [] : run.reserve(node);
    },
  };
}

/** Beyond this many scores for all starts together, `top` is every node that fits: more than the truth, never less. */
const scoresMax = 200_000;

/**
 * More nodes fit than are looked for: which of them are scored depends on the start. The real scheduler looks at several nodes at
 * a time and may find a few others near the end of its window; `feasible` has them all.
 */
function sampled({ cycle, profile, filtered, options }: Placing, feasible: readonly NodeView[], enough: number) {
  if (options.start !== "any") {
    return best(cycle, profile, search(filtered, { start: options.start, enough }).found);
  }
  if (feasible.length * enough > scoresMax) return feasible;
  const top = new Set<NodeView>();
  // Starts between two nodes that fit find the same nodes: begin at each of those that fit.
  filtered.nodes.forEach((_, start) => {
    if (filtered.verdicts[start]?.code !== "Success") return;
    for (const node of best(cycle, profile, search(filtered, { start, enough }).found)) top.add(node);
  });
  return feasible.filter((node) => top.has(node));
}

function nowhere(cycle: Cycle, profile: Profile, failure: Failure): SchedulingResult {
  const after = runPostFilters(cycle, profile, failure);
  return unschedulable(fitError(cycle.nodes.length, failure, after.reasons.join(", ")), after);
}

function unschedulable(message: string, after: PostFilterOutcome | null): SchedulingResult {
  return { outcome: "unschedulable", message, preemption: after?.candidates ?? [], effects: after?.effects ?? [] };
}

/**
 * Post filters in order, until one makes room or says that nothing can.
 * Mirrors: framework/runtime RunPostFilterPlugins, Kubernetes 1.34 to 1.37.
 */
export function runPostFilters(cycle: Cycle, profile: Profile, failure: Failure): PostFilterOutcome {
  const reasons: string[] = [];
  const effects: PostFilterOutcome["effects"][number][] = [];
  for (const plugin of profile.postFilters) {
    const outcome = plugin.run(cycle, failure);
    if (outcome.code !== "Unschedulable") return { ...outcome, effects: [...effects, ...outcome.effects] };
    reasons.push(...outcome.reasons);
    effects.push(...outcome.effects);
  }
  return { code: "Unschedulable", reasons, candidates: [], effects };
}
