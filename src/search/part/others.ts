import { budgetsOf } from "../../eviction/budgets-of.ts";
import { type DrainFlags, parseDrainFlags } from "../../eviction/drain-flags.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import type { Lane } from "../../sim/lanes.ts";
import { leavingPods, waveOf } from "../../sim/leaving-pods.ts";
import type { MaintenanceOptions } from "../../sim/maintenance-options.ts";

/**
 * Whether all that pods outside a part can do to a maintenance is to make it slower, or to stop it for good: then a play
 * without them takes at least every course that hurts the part.
 */
export function onlyDelay(view: ClusterView, options: MaintenanceOptions, own: readonly PodView[]): boolean {
  const { lanes, inTurn, stopAfterMs, forceAfterMs, flags } = options;
  const [first, ...more] = lanes;
  if (stopAfterMs !== null || forceAfterMs !== null || first === undefined) return false;
  const isAlone = first.nodes.length === 1 && more.length === 0;
  // Side by side, how long one node takes decides which others are closed with it.
  const oneByOne = lanes.every(({ nodesAtOnce }) => nodesAtOnce === 1) && (inTurn || more.length === 0);
  if (!isAlone && !oneByOne) return false;
  return lanes.every((lane) => {
    const parsed = parseDrainFlags(flags ?? lane.actor.drain.flags);
    if (!parsed.ok || !asksAll(view, lane, parsed.flags, own)) return false;
    return isAlone || staysOnCourse(view, lane, parsed.flags, own);
  });
}

/** Every pod of the part is asked when its node's turn comes, whoever else is on it. */
function asksAll(view: ClusterView, { actor, held, nodes }: Lane, flags: DrainFlags, own: readonly PodView[]): boolean {
  const { drain } = actor;
  if (held !== "" || flags.podSelector !== null) return false;
  if (nodes.some((node) => leavingPods(view, node, actor, flags).refusals.length > 0)) return false;
  // Who waits for the waves before it may still be there when time is up.
  const isLimited = (flags.timeoutMs ?? drain.holdsForMs) !== null;
  return !(isLimited && drain.inWaves && own.some((pod) => waveOf(pod) > 0));
}

/**
 * No pod of others makes the actor pass a node over, give one up, or leave it closed and go on. Of a single node that is not
 * asked: nothing comes after it. Of several, waiting for one is a stall, which a play without end would hide.
 */
function staysOnCourse(view: ClusterView, { actor }: Lane, flags: DrainFlags, own: readonly PodView[]): boolean {
  const { drain } = actor;
  if (drain.by !== "eviction" || flags.disableEviction) return false;
  if (actor.passesOver.some(({ on }) => on !== "unavailable")) return false;
  const limitMs = flags.timeoutMs ?? drain.holdsForMs;
  const givesUp = limitMs !== null && (drain.then === "fails" || drain.then === "reopens" || drain.then === "waits");
  const goesOn = drain.onError === "fails" && actor.onNodeFailure === "continues";
  if (!goesOn && !givesUp) return true;
  const ownUids = new Set(own.map(({ uid }) => uid));
  return [...view.pods].every((pod) => {
    if (ownUids.has(pod.uid)) return true;
    const budgets = budgetsOf(view, pod).length;
    if (budgets > 1 && goesOn) return false;
    return !givesUp || (budgets === 0 && pod.template.terminationGraceMs < limitMs);
  });
}
