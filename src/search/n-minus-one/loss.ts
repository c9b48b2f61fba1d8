import { budgetsOf } from "../../eviction/budgets-of.ts";
import { planDrain } from "../../eviction/drain.ts";
import { parseDrainFlags } from "../../eviction/drain-flags.ts";
import type { BudgetView, PodView } from "../../model/view.ts";
import type { Lane } from "../../sim/lanes.ts";
import type { PlannedStep } from "../../sim/program.ts";
import { podStopMs } from "../../workload/termination.ts";
import { staysPut } from "../owners.ts";
import type { Standing } from "./standing.ts";

/** Nodes whose pods go, and nothing else of the cluster does: drains in any order, or machines that fail together. */
export interface Loss {
  readonly by: "drain" | "failure";
  readonly nodes: readonly string[];
  /** Pods that leave or stop. */
  readonly pods: ReadonlySet<PodView>;
  /** Those that come back elsewhere, if there is room: DaemonSets' and static ones do not. */
  readonly movers: readonly PodView[];
  /** Null: a failure asks nobody. */
  readonly drain: Drain | null;
}

interface Drain {
  /** Pods that are asked to leave. Empty where anything refuses. */
  readonly evict: ReadonlySet<PodView>;
  /** Some node is not drained at all for a pod that cannot be evicted, or nobody on it can confirm that a pod is gone. */
  readonly refused: boolean;
  /** After this the actor does something else than ask; null: never. */
  readonly holdsForMs: number | null;
}

/** Null: these steps do more than that, so that nothing is argued about them. */
export function lossOf(standing: Standing, steps: readonly PlannedStep[]): Loss | null {
  const [first, ...more] = steps;
  if (first?.do === "maintain" && more.length === 0) return drainOf(standing, first);
  const failed = steps.flatMap((step) => (step.do === "fail" ? [step.node] : []));
  if (failed.length === 0 || failed.length < steps.length) return null;
  return { ...lost(standing, failed, () => true), by: "failure", drain: null };
}

function drainOf(standing: Standing, step: Extract<PlannedStep, { readonly do: "maintain" }>): Loss | null {
  const [lane, ...lanes] = step.options.lanes.filter(({ nodes }) => nodes.length > 0);
  if (lane === undefined || lanes.length > 0) return null;
  const { flags: given, stopAfterMs, forceAfterMs } = step.options;
  if (stopAfterMs !== null || forceAfterMs !== null || !onlyAsks(lane)) return null;
  const { drain, afterDrain } = lane.actor;
  const parsed = parseDrainFlags(given ?? drain.flags);
  if (!parsed.ok || parsed.flags.disableEviction || parsed.flags.timeoutMs !== null) return null;
  const staysOn = (afterDrain === "stays" || afterDrain === "opens") && drain.daemonSetPods === "as-flags";
  const goes = (pod: PodView): boolean => !staysOn || !staysPut(standing.view, pod);
  const plans = step.nodes.map((node) => planDrain(standing.view, node, parsed.flags));
  const isReady = (node: string): boolean => standing.view.node(node)?.ready === true;
  return {
    ...lost(standing, step.nodes, goes),
    by: "drain",
    drain: {
      evict: new Set(plans.flatMap(({ evict }) => evict)),
      refused: plans.some(({ refusals }) => refusals.length > 0) || !step.nodes.every(isReady),
      holdsForMs: drain.holdsForMs,
    },
  };
}

/** Takes the node as it comes and asks the Eviction API for every pod at once, as long as it holds. */
function onlyAsks({ actor, held }: Lane): boolean {
  const { drain } = actor;
  const plain = drain.by === "eviction" && drain.barePods === "as-flags" && drain.waitsForAnnotations.length === 0;
  const plainTimes = drain.graceSetMs === null && !drain.deletesEarly;
  const takesAny = actor.passesOver.every(({ on }) => on === "unavailable");
  return held === "" && plain && plainTimes && takesAny && actor.marks.every(({ effect }) => effect !== "NoExecute");
}

function lost(
  { view }: Standing,
  nodes: readonly string[],
  goes: (pod: PodView) => boolean,
): Pick<Loss, "nodes" | "pods" | "movers"> {
  const pods = new Set<PodView>();
  for (const node of nodes) for (const pod of view.podsOn(node)) if (goes(pod)) pods.add(pod);
  return { nodes, pods, movers: [...pods].filter((pod) => !staysPut(view, pod)) };
}

/**
 * Whether every pod of these, asked to leave, is let go and gone in time, whatever becomes of others: no budget covers it, or
 * one that allows as many evictions as there are pods of its own on the node.
 */
export function allLeave(standing: Standing, { drain, pods }: Loss, own: readonly PodView[]): boolean {
  if (drain === null) return true;
  const { evict, refused, holdsForMs } = drain;
  if (refused || standing.refusesEvictions) return false;
  return own.every((pod) => {
    if (!evict.has(pod)) return true;
    if (pod.heldByFinalizer || pod.keptByFinalizer !== "") return false;
    if (standing.view.cluster.namespaces.get(pod.namespace)?.terminating === true) return false;
    if (holdsForMs !== null && podStopMs(pod, null) >= holdsForMs) return false;
    const [budget, ...more] = budgetsOf(standing.view, pod);
    if (budget === undefined) return true;
    return more.length === 0 && (going(standing, pods).get(budget) ?? 0) <= standing.allowedBy(budget);
  });
}

const goingByPods = new WeakMap<ReadonlySet<PodView>, ReadonlyMap<BudgetView, number>>();

/** Budget → how many of its pods are among these. */
function going(standing: Standing, pods: ReadonlySet<PodView>): ReadonlyMap<BudgetView, number> {
  const known = goingByPods.get(pods);
  if (known !== undefined) return known;
  const counts = new Map<BudgetView, number>();
  for (const pod of pods) {
    for (const budget of budgetsOf(standing.view, pod)) counts.set(budget, (counts.get(budget) ?? 0) + 1);
  }
  goingByPods.set(pods, counts);
  return counts;
}
