import { setOf } from "../../base/set-of.ts";
import { budgetsOf } from "../../eviction/budgets-of.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { sameResources } from "../../model/resources.ts";
import type { PodView } from "../../model/view.ts";
import { standInsOf } from "../../route/capacity.ts";
import { isLeftToOthers } from "../../route/not-modelled.ts";
import type { Timing } from "../../sim/timing.ts";
import type { Endpoint, Hop } from "../../systems/endpoint.ts";
import { electionOf } from "../../workload/leader-election.ts";
import { nodeMonitorGraceMs, noExecuteDelayMs, taintsFor } from "../../workload/node-controllers.ts";
import { nextOf } from "../owners.ts";
import { atRest } from "../proof/budget-holds.ts";
import { isThreatened, leftOf } from "./argue.ts";
import { awayMs, emptyAfterMs } from "./emptied.ts";
import type { Ground } from "./ground.ts";
import { holdersOf } from "./held.ts";
import { allLeave, type Drain, type Loss, takenOf } from "./loss.ts";

/** What the drain or the failure of one node surely does to an endpoint that it hurts, argued without playing it. */
export interface Broken {
  readonly verdict: "unsafe" | "stalls";
  /** Longest time down, ms; null: to the end. */
  readonly downMs: number | null;
  /** The least there is of each hop. */
  readonly unitsLeast: (hop: Hop) => number;
  /** Hops whose pods hold the drain up for ever. */
  readonly stalled: readonly Hop[];
  /** The drain does not end: by these, or by pods of others. */
  readonly isStuck: boolean;
}

/** Of a hop with pods on the node, the units that stay, and how long it takes until one more is ready; null: not argued. */
interface PartLoss {
  readonly units: number;
  /** Nothing goes: a budget never lets it. */
  readonly isHeld: boolean;
  /** Null: nothing of it leaves. */
  readonly backMs: number | null;
}

/**
 * Someone types `kubectl drain`: every pod of the node is asked at one moment, and those of this endpoint are let go at once or
 * never. Or the machine fails, and its pods are replaced once the node is lost for as long as they tolerate. So the endpoint breaks at
 * that moment, and is up again when the first replacement has started, which finds a place wherever the others go. Null: some
 * of this is not so; it has to be played.
 */
export function broken({ standing, rooms, sim }: Ground, loss: Loss, endpoint: Endpoint): Broken | null {
  if (loss.nodes.length > 1 || !(loss.drain === null ? standing.allReady : isAsked(standing, loss.drain))) return null;
  if (!breaksAtOnce(standing, endpoint) || isThreatened(standing, rooms, loss, endpoint)) return null;
  const losses = new Map<Hop, PartLoss>();
  for (const hop of endpoint.hops) {
    if (hop.outside !== "") continue;
    const part = standing.part(hop);
    if (standing.mayGoWith(loss, part)) return null;
    const own = takenOf(part, loss);
    if (own.length === 0) continue;
    const lost = partLoss({ standing, rooms, sim }, loss, { hop, own });
    if (lost === null) return null;
    losses.set(hop, lost);
  }
  const units = (hop: Hop): number => losses.get(hop)?.units ?? standing.part(hop).ready;
  const isShort = standing.isShort(endpoint, units);
  const stalled = [...losses].flatMap(([hop, { isHeld }]) => (isHeld ? [hop] : []));
  if (!isShort && stalled.length === 0) return null;
  const down = endpoint.hops.filter((hop) => standing.isLost(endpoint, hop, units));
  let downMs = 0;
  for (const hop of down) downMs = Math.max(downMs, backMsOf(endpoint, hop, losses));
  const verdict = isShort ? "unsafe" : "stalls";
  const isStuck = holdersOf({ standing, rooms }, loss).size > 0;
  return { verdict, downMs: downMs === Number.POSITIVE_INFINITY ? null : downMs, unitsLeast: units, stalled, isStuck };
}

function isAsked({ refusesEvictions }: Ground["standing"], { isPlain, refused }: Drain): boolean {
  return isPlain && !refused && !refusesEvictions;
}

/** It is up and stays so if left alone, is broken whenever it has too little, and whoever makes its pods is modelled. */
export function breaksAtOnce(standing: Ground["standing"], endpoint: Endpoint): boolean {
  if (endpoint.maxDownMs > 0 || endpoint.hops.some((hop) => isLeftToOthers(endpoint, hop))) return false;
  const isQuiet = endpoint.hops.every((hop) => hop.outside !== "" || standing.part(hop).quiet);
  return isQuiet && standing.nowOf(endpoint) === "up";
}

/** Until the first unit of a hop, or of any that stands in for it, is back. */
function backMsOf(endpoint: Endpoint, hop: Hop, losses: ReadonlyMap<Hop, PartLoss>): number {
  const backs = standInsOf(endpoint, hop).map((other) => losses.get(other)?.backMs ?? Number.POSITIVE_INFINITY);
  return Math.min(...backs);
}

function partLoss(
  { standing, rooms, sim }: Ground,
  loss: Loss,
  { hop, own }: { readonly hop: Hop; readonly own: readonly PodView[] },
): PartLoss | null {
  const { view } = standing;
  const part = standing.part(hop);
  if (part.bound || hop.leaderElected) return null;
  const isPlain = (pod: PodView): boolean =>
    loss.drain?.evict.has(pod) !== false && atRest(view, pod) && electionOf(pod) === null;
  if (!own.every(isPlain)) return null;
  if (!allLeave(standing, loss, own)) {
    const gone = goneWhenHeld({ standing, rooms }, loss, { hop, own });
    return gone === null ? null : { units: part.ready - gone, isHeld: true, backMs: null };
  }
  let backMs = Number.POSITIVE_INFINITY;
  for (const pod of own) {
    const successor = successorOf(standing, pod);
    // A StatefulSet waits until the name is free.
    const isAtOnce = view.workload(pod.owner ?? "")?.spec.kind === "ReplicaSet";
    if (!isAtOnce || successor === null) return null;
    const placedMs = placedAfterMs({ standing, rooms, sim }, loss, { pod, successor });
    const startMs = startMsOf(sim.timing, pod, successor);
    if (placedMs === null || startMs === null) return null;
    backMs = Math.min(backMs, placedMs + startMs);
  }
  return { units: leftOf(standing, loss, hop), isHeld: false, backMs };
}

/** How many of these go before a budget over exactly the pods of the hop holds the others for ever; null: it does not. */
function goneWhenHeld(
  ground: Pick<Ground, "standing" | "rooms">,
  loss: Loss,
  { hop, own }: { readonly hop: Hop; readonly own: readonly PodView[] },
): number | null {
  const { view } = ground.standing;
  const holding = hop.onPath ? ground.standing.holds(hop, { need: 0, touched: setOf(loss.nodes) }) : null;
  const areAsked = own.every((pod) => loss.drain?.evict.has(pod) === true && budgetsOf(view, pod).length > 0);
  return areAsked && holding?.by === "budget" ? (holdersOf(ground, loss).get(holding.budget) ?? null) : null;
}

/** When its successor has a place: at once, when the node is open again and it goes back there, or never. Null: that is not certain. */
function placedAfterMs(
  { standing, rooms, sim }: Ground,
  loss: Loss,
  { pod, successor }: { readonly pod: PodView; readonly successor: PodTemplate },
): number | null {
  if (rooms.alwaysFinds(successor, loss)) return goesAfterMs(loss, pod);
  if (!rooms.neverFinds(successor, loss)) return null;
  const { drain } = loss;
  if (drain === null || drain.actor.afterDrain === "stays") return Number.POSITIVE_INFINITY;
  if (drain.actor.afterDrain !== "reboots" || !allFitAgain(standing, loss)) return null;
  const emptyMs = emptyAfterMs({ standing, rooms, sim }, loss);
  return emptyMs === null ? null : emptyMs + awayMs(drain.actor, sim.timing);
}

/** What comes back takes what was there before, so that there is room for whoever of them still waits. */
function allFitAgain({ view }: Ground["standing"], loss: Loss): boolean {
  const isOpen = loss.nodes.every((name) => view.node(name)?.unschedulable === false);
  return isOpen && loss.movers().every((pod) => sameResources(pod.requests, nextOf(view, pod).requests));
}

/** When its successor is made; null: never. */
function goesAfterMs({ drain }: Loss, { node, template }: PodView): number | null {
  if (drain !== null) return 0;
  const taints = node === null ? [] : taintsFor(node.node, false, node.unschedulable);
  const delayMs = noExecuteDelayMs(template.tolerations, taints);
  return delayMs === null ? null : nodeMonitorGraceMs + delayMs;
}

/** Nobody asks but by evictions, and a budget over exactly the pods of the hop wants all of them. */
export function isHeldForEver({ standing }: Pick<Ground, "standing">, loss: Loss, hop: Hop): boolean {
  const { drain, nodes } = loss;
  const part = standing.part(hop);
  if (drain?.isPlain !== true || part.bound || hop.leaderElected || !hop.onPath) return false;
  const own = takenOf(part, loss);
  const isAsked = (pod: PodView): boolean => drain.evict.has(pod) && budgetsOf(standing.view, pod).length > 0;
  if (nodes.some((node) => drain.isRefusedOn(node)) || !own.every(isAsked)) return false;
  const holding = standing.holds(hop, { need: 0, touched: setOf(nodes) });
  return holding?.by === "budget" && holding.replicas <= holding.desiredHealthy;
}

/** What the pod's owner makes in its place; null: it is not known. */
export function successorOf({ view }: Ground["standing"], pod: PodView): PodTemplate | null {
  const kind = pod.owner === null ? undefined : view.workload(pod.owner)?.spec.kind;
  return kind === "ReplicaSet" || kind === "StatefulSet" ? nextOf(view, pod) : null;
}

/** Null: it depends on the name it will have. */
export function startMsOf(
  { scenario, podStart }: Timing,
  { key, owner }: PodView,
  template: PodTemplate,
): number | null {
  return scenario.podStart.length > 0 ? null : podStart({ key, owner, template }).mostMs;
}
