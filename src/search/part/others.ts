import { budgetsOf } from "../../eviction/budgets-of.ts";
import { parseDrainFlags } from "../../eviction/drain-flags.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import type { Lane } from "../../sim/lanes.ts";
import { leavingPods } from "../../sim/leaving-pods.ts";
import type { MaintenanceOptions } from "../../sim/maintenance-run.ts";

/**
 * Whether all that pods outside a part can do to a maintenance is to make it slower, or to stop it for good: then a play
 * without them takes at least every course that hurts the part.
 */
export function onlyDelay(view: ClusterView, options: MaintenanceOptions, others: readonly PodView[]): boolean {
  const { lanes, inTurn, stopAfterMs, forceAfterMs, flags } = options;
  if (stopAfterMs !== null || forceAfterMs !== null || lanes.length === 0) return false;
  // Side by side, how long one node takes decides which others are closed with it.
  const oneByOne = lanes.every(({ nodesAtOnce }) => nodesAtOnce === 1) && (inTurn || lanes.length === 1);
  return oneByOne && lanes.every((lane) => staysOnCourse(view, lane, flags, others));
}

/** No pod of others makes the actor pass a node over, give one up, or leave it closed and go on. */
function staysOnCourse(
  view: ClusterView,
  { actor, held, nodes }: Lane,
  given: readonly string[] | null,
  others: readonly PodView[],
): boolean {
  const { drain } = actor;
  const parsed = parseDrainFlags(given ?? drain.flags);
  if (held !== "" || drain.by !== "eviction" || !parsed.ok) return false;
  if (actor.passesOver.some(({ on }) => on !== "unavailable")) return false;
  const { flags } = parsed;
  if (flags.podSelector !== null || flags.disableEviction) return false;
  if (nodes.some((node) => leavingPods(view, node, actor, flags).refusals.length > 0)) return false;
  const limitMs = flags.timeoutMs ?? drain.holdsForMs;
  const givesUp = limitMs !== null && (drain.then === "fails" || drain.then === "reopens" || drain.then === "waits");
  return others.every((pod) => {
    const budgets = budgetsOf(view, pod).length;
    if (budgets > 1 && drain.onError === "fails" && actor.onNodeFailure === "continues") return false;
    return !givesUp || (budgets === 0 && pod.template.terminationGraceMs < limitMs);
  });
}
