import { parseDrainFlags } from "../../eviction/drain-flags.ts";
import type { Actor } from "../../maintenance/actor.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { repelled } from "../../model/taints.ts";
import { cordon } from "../../scheduler/filters/node-unschedulable.ts";
import type { Lane } from "../../sim/lanes.ts";
import type { MaintenanceOptions } from "../../sim/maintenance-run.ts";
import type { Span } from "../../sim/scenario.ts";
import { standForOldOnes } from "./new-nodes.ts";
import type { Standing } from "./standing.ts";

/** What an actor never does, whatever happens: what a proof may rest on. */
export interface ActorPromise {
  /** Nodes that are closed at any one time, at most. */
  readonly closedAtMost: number;
  /** After this it deletes, stops the machine, or gives up; null: never. */
  readonly forcesAfterMs: number | null;
  readonly retryMs: number;
  /** From a pod's eviction to the next node's turn, at least; null: more than one are closed together. */
  readonly betweenMs: number | null;
  /** Whether pods of this template are never placed on a closed node. */
  keepsOut(template: PodTemplate): boolean;
}

/** Null: it does more than drain, so that nothing is argued about it. */
export function promiseOf(
  standing: Standing,
  { lanes, flags, stopAfterMs, forceAfterMs }: MaintenanceOptions,
  { nodes, nodeDown }: { readonly nodes: number; readonly nodeDown: Span | null },
): ActorPromise | null {
  // Flags of the scenario's own may refuse pods that the actor's take.
  if (forceAfterMs !== null || stopAfterMs !== null || flags !== null || lanes.length === 0) return null;
  if (!lanes.every(({ actor }) => asksWithoutLimit(actor.drain.flags))) return null;
  if (!lanes.every(isPlain) || !standForOldOnes(standing, lanes)) return null;
  const limits = lanes.flatMap(({ actor }) => actor.drain.holdsForMs ?? []);
  const closedAtMost = lanes.reduce((sum, lane) => sum + closedBy(lane), 0);
  return {
    closedAtMost,
    forcesAfterMs: limits.length === 0 ? null : Math.min(...limits),
    retryMs: Math.max(...lanes.map(({ actor }) => actor.drain.retryMs)),
    betweenMs: betweenMs(lanes, { closedAtMost, nodes, nodeDown }),
    keepsOut: (template) => lanes.every(({ actor }) => keepsOut(actor, template)),
  };
}

function asksWithoutLimit(given: readonly string[]): boolean {
  const parsed = parseDrainFlags(given);
  return parsed.ok && !parsed.flags.disableEviction && parsed.flags.timeoutMs === null;
}

/** Evicts from nodes that come back, as they were or new, and does nothing else: no pods are chosen by rules of its own. */
function isPlain({ actor, held }: Lane): boolean {
  const { drain } = actor;
  const plainPods =
    drain.by === "eviction" && drain.daemonSetPods === "as-flags" && !drain.sparesTolerating && !drain.volumesOneByOne;
  const asksAll = drain.waitsForAnnotations.length === 0 && !drain.inWaves;
  const plainTimes =
    drain.graceSetMs === null && !drain.deletesEarly && (drain.attempts === null || drain.holdsForMs === null);
  const choosesFreely = actor.passesOver.every(({ on }) => on === "unavailable");
  return held === "" && plainPods && asksAll && plainTimes && choosesFreely && keepsPlaces(actor);
}

/** Whether pods of this template are never placed on a node that this actor has closed. */
export function keepsOut({ close }: Pick<Actor, "close">, { tolerations }: PodTemplate): boolean {
  return repelled([...(close.cordon ? [cordon] : []), ...close.taints], tolerations);
}

/** In the end there are as many places as before, and those of new nodes that join beforehand are there throughout. */
function keepsPlaces({ afterDrain, surge }: Actor): boolean {
  if (surge !== null && surge.when !== "before-all" && surge.when !== "before-each") return false;
  switch (afterDrain) {
    case "stays":
    case "opens":
      return surge === null;
    case "reboots":
    case "replaced":
      return true;
    default:
      return false;
  }
}

/** A drained node is away for a time before another one is taken; one that is given up is not, after as long as it was asked. */
function betweenMs(
  lanes: readonly Lane[],
  {
    closedAtMost,
    nodes,
    nodeDown,
  }: { readonly closedAtMost: number; readonly nodes: number; readonly nodeDown: Span | null },
): number | null {
  // With new nodes beside the old ones the next turn comes at once, and nodes that were only lent are drained too.
  if (lanes.some(({ actor }) => actor.surge !== null)) return null;
  if (nodes === 1) return Number.POSITIVE_INFINITY;
  if (closedAtMost > 1) return null;
  const downs = lanes.map(({ actor: { afterDrain, nodeDownMs, drain } }) => {
    const downMs = afterDrain === "opens" ? nodeDownMs : (nodeDown?.leastMs ?? nodeDownMs);
    return Math.min(downMs, drain.holdsForMs ?? downMs);
  });
  return Math.min(...downs);
}

function closedBy({ actor, nodes, nodesAtOnce, surgeNodes }: Lane): number {
  const { drain } = actor;
  // A node that failed stays closed while the next one is taken.
  const leavesClosed = drain.then === "fails" || (drain.onError === "fails" && actor.onNodeFailure === "continues");
  const all = actor.closeWhen === "all" || actor.afterDrain === "stays" || leavesClosed;
  // New nodes that were only lent are drained when the old ones are done, and do not come back.
  const lent = actor.surge?.atEnd === "leave" ? surgeNodes : 0;
  return (all ? nodes.length : Math.min(nodesAtOnce, nodes.length)) + lent;
}
