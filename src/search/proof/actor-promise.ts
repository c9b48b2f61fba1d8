import { parseDrainFlags } from "../../eviction/drain-flags.ts";
import type { Actor, PassOver } from "../../maintenance/actor.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { repelled } from "../../model/taints.ts";
import type { ClusterView } from "../../model/view.ts";
import { cordon } from "../../scheduler/filters/node-unschedulable.ts";
import type { Lane } from "../../sim/lanes.ts";
import type { MaintenanceOptions } from "../../sim/maintenance-options.ts";
import { says } from "../../sim/passing-over.ts";
import type { Span } from "../../sim/scenario.ts";
import { lendsFirst } from "./lent.ts";
import { standForOldOnes } from "./new-nodes.ts";
import type { Standing } from "./standing.ts";

/** What an actor never does, whatever happens: what a proof may rest on. */
export interface ActorPromise {
  /** Places that are closed at any one time, at most: an old node whose new one is there already is none. */
  readonly closedAtMost: number;
  /** Nodes that are drained at one time, at most. */
  readonly drainedAtMost: number;
  /** Nodes that have left the cluster and are not back, at most. */
  readonly goneAtMost: number;
  /** After this it deletes, stops the machine, or gives up; null: never. */
  readonly forcesAfterMs: number | null;
  /** Nodes of the pool's shape that are lent to this lane stand in for those that are closed, until its last node is back. */
  readonly lentTo: Lane | null;
  readonly retryMs: number;
  /** From a pod's eviction to the next node's turn, at least; null: more than one are closed together. */
  readonly betweenMs: number | null;
  /** It takes a node only while budgets let all of its pods go at once. */
  readonly takesWhole: boolean;
  /** Whether pods of this template are never placed on a closed node. */
  keepsOut(template: PodTemplate): boolean;
  /** Whether it may wait for a pod of this template, or leave its node alone for it, whatever budgets say. */
  waitsFor(template: PodTemplate): boolean;
}

/** Null: it does more than drain, so that nothing is argued about it. */
export function promiseOf(
  standing: Standing,
  { lanes, inTurn, flags, stopAfterMs, forceAfterMs }: MaintenanceOptions,
  { nodes, nodeDown }: { readonly nodes: number; readonly nodeDown: Span | null },
): ActorPromise | null {
  // Flags of the scenario's own may refuse pods that the actor's take.
  if (forceAfterMs !== null || stopAfterMs !== null || flags !== null || lanes.length === 0) return null;
  if (!lanes.every(({ actor }) => asksWithoutLimit(actor.drain.flags))) return null;
  if (!lanes.every((lane) => isPlain(lane, standing.view)) || !standForOldOnes(standing, lanes)) return null;
  const limits = lanes.flatMap(({ actor }) => actor.drain.holdsForMs ?? []);
  const [first, ...more] = lanes;
  const lentTo = first !== undefined && more.length === 0 && lendsFirst(first) ? first : null;
  const closedAtMost = lentTo === null ? lanes.reduce((sum, lane) => sum + closedBy(lane), 0) : 0;
  const drained = lanes.map(({ nodes: own, nodesAtOnce }) => Math.min(own.length, nodesAtOnce));
  const drainedAtMost = inTurn ? Math.max(...drained) : drained.reduce((sum, count) => sum + count, 0);
  const removes = ({ actor: { afterDrain } }: Lane): boolean => afterDrain === "replaced" || afterDrain === "removed";
  return {
    closedAtMost,
    lentTo,
    drainedAtMost,
    goneAtMost: lanes.some(removes) ? drainedAtMost : 0,
    forcesAfterMs: limits.length === 0 ? null : Math.min(...limits),
    retryMs: Math.max(...lanes.map(({ actor }) => actor.drain.retryMs)),
    betweenMs: betweenMs(lanes, { closedAtMost, nodes, nodeDown }),
    takesWhole: lanes.some(({ actor }) => actor.passesOver.some(({ on }) => on === "budget")),
    keepsOut: (template) => lanes.every(({ actor }) => keepsOut(actor, template)),
    waitsFor: (template) => lanes.some(({ actor }) => waitsFor(actor, template)),
  };
}

function asksWithoutLimit(given: readonly string[]): boolean {
  const parsed = parseDrainFlags(given);
  return parsed.ok && !parsed.flags.disableEviction && parsed.flags.timeoutMs === null;
}

/** Evicts from nodes that come back, as they were or new, and goes by nothing but budgets and annotations of pods. */
function isPlain(lane: Lane, view: ClusterView): boolean {
  const { actor, held, nodes } = lane;
  const { drain, passesOver } = actor;
  const isLimited = drain.holdsForMs !== null;
  // Time may be up before the turn of those that wait for a wave.
  const asksAll = !(isLimited && drain.inWaves) && !drain.deletesEarly && (drain.attempts === null || !isLimited);
  // Nobody is asked on a node that is not Ready.
  const asksEverywhere = drain.onNotReady === "as-usual" || nodes.every((node) => view.node(node)?.ready === true);
  const goesByPods = passesOver.every(({ on }) => chosenBy.has(on));
  return (
    held === "" &&
    drain.by === "eviction" &&
    drain.graceSetMs === null &&
    [asksAll, asksEverywhere, goesByPods].every((yes) => yes) &&
    keepsPlaces(lane)
  );
}

const chosenBy: ReadonlySet<PassOver["on"]> = new Set([
  "unavailable",
  "nodeAnnotation",
  "nodeLabel",
  "podAnnotation",
  "budget",
]);

function waitsFor({ drain, passesOver }: Actor, { annotations }: PodTemplate): boolean {
  const named = passesOver.flatMap((rule) => (rule.on === "podAnnotation" ? [rule] : []));
  return [...drain.waitsForAnnotations, ...named].some((rule) => says(annotations.get(rule.key), rule));
}

/** Whether pods of this template are never placed on a node that this actor has closed. */
export function keepsOut({ close }: Pick<Actor, "close">, { tolerations }: PodTemplate): boolean {
  return repelled([...(close.cordon ? [cordon] : []), ...close.taints], tolerations);
}

/** In the end there are as many places as before, and those of new nodes that join beforehand are there throughout. */
function keepsPlaces(lane: Lane): boolean {
  const { afterDrain, surge } = lane.actor;
  if (surge?.when === "with-drain") return false;
  switch (afterDrain) {
    case "stays":
    case "opens":
      return surge === null;
    case "reboots":
    case "replaced":
      return true;
    case "removed":
      return isDoubled(lane);
    default:
      return false;
  }
}

/** Each of its nodes has a new one of its shape before any is closed. */
function isDoubled({ actor: { surge }, nodes, members, surgeNodes }: Lane): boolean {
  return (
    surge?.when === "before-all" &&
    surge.atEnd === "stay" &&
    surgeNodes === nodes.length &&
    members.length === nodes.length
  );
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

function closedBy(lane: Lane): number {
  const { actor, nodes, nodesAtOnce, surgeNodes } = lane;
  const { drain, surge, afterDrain } = actor;
  if (afterDrain === "removed" && isDoubled(lane)) return 0;
  // Those beyond its new nodes are closed without one.
  const beside = surge?.when === "before-each" && surge.atEnd === "stay" ? surgeNodes : 0;
  if (beside >= nodesAtOnce && actor.closeWhen === "node") return 0;
  // A node that failed stays closed while the next one is taken.
  const leavesClosed = drain.then === "fails" || (drain.onError === "fails" && actor.onNodeFailure === "continues");
  const all = actor.closeWhen === "all" || afterDrain === "stays" || leavesClosed;
  // New nodes that were only lent are drained when the old ones are done, and do not come back.
  const lent = surge?.atEnd === "leave" ? surgeNodes : 0;
  return (all ? nodes.length : Math.min(nodesAtOnce - beside, nodes.length)) + lent;
}
