import { setOf } from "../../base/set-of.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { PodView } from "../../model/view.ts";
import { standInsOf } from "../../route/capacity.ts";
import { isLeftToOthers } from "../../route/not-modelled.ts";
import type { Lane } from "../../sim/lanes.ts";
import type { PlannedStep } from "../../sim/program.ts";
import type { Endpoint, Hop } from "../../systems/endpoint.ts";
import { argue, leftOf } from "./argue.ts";
import { breaksAtOnce, startMsOf, successorOf } from "./broken.ts";
import { awayMs, emptyAfterMs } from "./emptied.ts";
import type { Ground } from "./ground.ts";
import { holdersOf } from "./held.ts";
import { allLeaveTogether, type Loss, takenOf } from "./loss.ts";

/** A node, or two that are drained one after the other. */
export interface Row {
  readonly nodes: readonly string[];
  /** What is left of each hop then. */
  readonly units: (hop: Hop) => number;
  /** Hops whose pods hold up the last of the drains for ever. */
  readonly stalled: readonly Hop[];
}

/**
 * The nodes after whose drains an endpoint has too little left.
 *
 * A maintenance that takes one node after the other and only asks: the first of the two is empty, and back if it comes back, before
 * anything that left it has started again. Whatever else happens meanwhile, pods of the endpoint become no more by it: no new one
 * starts in that time. `candidates`: nodes it stands on. Null: no two of them; others have to be played.
 */
export function inARow(
  ground: Ground,
  { loss, steps }: { readonly loss: Loss; readonly steps: readonly PlannedStep[] },
  { endpoint, candidates }: { readonly endpoint: Endpoint; readonly candidates: readonly string[] },
): Row | null {
  const { standing, sim } = ground;
  const lane = laneInTurn(steps);
  const { drain } = loss;
  if (lane === null || drain?.isPlain !== true || standing.refusesEvictions) return null;
  const parts = endpoint.hops.filter(({ outside }) => outside === "").map((hop) => standing.part(hop));
  if (!breaksAtOnce(standing, endpoint) || parts.some(({ bound }) => bound)) return null;
  const own = Map.groupBy(
    parts.flatMap((part) => takenOf(part, loss)),
    ({ node }) => node?.name,
  );
  const after = (...nodes: readonly string[]): Row | null => {
    if (nodes.some((node) => drain.isRefusedOn(node))) return null;
    const leaving = new Set(nodes.flatMap((node) => own.get(node) ?? []));
    const units = (hop: Hop): number => leftOf(standing, { nodes, pods: leaving }, hop);
    // Most are not, and the other pods of these nodes are many.
    if (!standing.isShort(endpoint, units) || ![...leaving].every((pod) => drain.evict.has(pod))) return null;
    const each = nodes.map((node) => loss.on(node));
    return allLeaveTogether(standing, each, [...leaving]) ? { nodes, units, stalled: [] } : null;
  };
  const goneMs = awayMs(lane.actor, sim.timing);
  let soonestMs: number | null = null;
  const isEmptiedSoon = (node: string): boolean => {
    const emptyMs = emptyAfterMs(ground, loss.on(node));
    soonestMs ??= soonestStartMs({ standing, sim }, endpoint);
    return emptyMs !== null && emptyMs + goneMs < soonestMs;
  };
  for (const node of candidates) {
    const alone = after(node);
    if (alone !== null) return alone;
  }
  for (const first of candidates) {
    for (const second of candidates) {
      const both = second === first ? null : after(first, second);
      if (both === null) continue;
      if (!isEmptiedSoon(first)) break;
      return both;
    }
  }
  return null;
}

/** The one lane of a maintenance that takes its nodes in any order, one after the other. */
function laneInTurn(steps: readonly PlannedStep[]): Lane | null {
  const [step, ...more] = steps;
  if (step?.do !== "maintain" || more.length > 0 || !step.options.anyOrder) return null;
  const [lane, ...lanes] = step.options.lanes.filter(({ nodes }) => nodes.length > 0);
  if (lane === undefined || lanes.length > 0 || lane.nodesAtOnce !== 1) return null;
  const { order, closeWhen, afterDrain } = lane.actor;
  const comesBack = afterDrain === "stays" || afterDrain === "opens" || afterDrain === "reboots";
  return order === "any" && closeWhen !== "batch" && comesBack ? lane : null;
}

/** The shortest start of any pod that could come for one of the endpoint's; 0: it is not known. */
function soonestStartMs({ standing, sim }: Pick<Ground, "standing" | "sim">, { hops }: Endpoint): number {
  let soonest = Number.POSITIVE_INFINITY;
  for (const hop of hops) {
    if (hop.outside !== "") continue;
    for (const pod of standing.part(hop).pods) {
      const successor = successorOf(standing, pod);
      const startMs = successor === null ? null : startMsOf(sim.timing, pod, successor);
      soonest = Math.min(soonest, startMs ?? 0);
    }
  }
  return soonest;
}

/**
 * The nodes at whose drains a budget stands still for ever: all of them are closed for good and the pods may go nowhere else, so that
 * none comes back, and after as many as it allows it lets none go. Null: it is not so, or others may hold up the first of two.
 */
export function heldInARow(
  ground: Ground,
  { loss, steps }: { readonly loss: Loss; readonly steps: readonly PlannedStep[] },
  { endpoint, candidates }: { readonly endpoint: Endpoint; readonly candidates: readonly string[] },
): Row | null {
  const { standing, rooms } = ground;
  const lane = laneInTurn(steps);
  const { drain } = loss;
  if (lane === null || drain?.isPlain !== true || lane.actor.closeWhen !== "all" || lane.actor.afterDrain !== "stays")
    return null;
  if (standing.refusesEvictions || endpoint.hops.some((hop) => isLeftToOthers(endpoint, hop))) return null;
  const held = endpoint.hops.flatMap((hop) => {
    const part = standing.part(hop);
    if (hop.outside !== "" || !hop.onPath || part.bound || takenOf(part, loss).length === 0) return [];
    return [{ hop, part, holding: standing.holds(hop, { need: 1, touched: setOf(loss.nodes) }) }];
  });
  const [one, ...more] = held;
  if (one?.holding?.by !== "budget" || more.length > 0) return null;
  const { hop, part, holding } = one;
  const allowed = standing.exactlyAllowedBy(holding.budget);
  if (allowed === null) return null;
  const isShut = (template: PodTemplate): boolean => rooms.isConfined(template, loss.nodes) && drain.keepsOut(template);
  const isStuck = ({ template }: PodView, next: PodTemplate | null): boolean =>
    next !== null && isShut(next) && isShut(template);
  if (!part.pods.every((pod) => drain.evict.has(pod) && isStuck(pod, successorOf(standing, pod)))) return null;
  const on = (node: string): number => part.pods.filter((pod) => pod.node?.name === node).length;
  const open = candidates.filter((node) => !drain.isRefusedOn(node));
  const units = (other: Hop): number => standing.part(other).ready - (other === hop ? allowed : 0);
  const alone = open.find((node) => on(node) > allowed);
  if (alone !== undefined) return { nodes: [alone], units, stalled: [hop] };
  const isEmptied = (node: string): boolean => {
    const emptyMs = emptyAfterMs(ground, loss.on(node));
    return emptyMs !== null && emptyMs < Number.POSITIVE_INFINITY;
  };
  const first = open.find((node) => on(node) === allowed && isEmptied(node));
  const second = open.find((node) => node !== first);
  return first === undefined || second === undefined ? null : { nodes: [first, second], units, stalled: [hop] };
}

/**
 * Budgets keep what it needs, and its pods have somewhere else to go: whether one ever finds no place there is not for the beginning of
 * a maintenance to show.
 */
export function isKeptByBudgets(
  { standing, rooms }: Ground,
  { loss, steps }: { readonly loss: Loss; readonly steps: readonly PlannedStep[] },
  endpoint: Endpoint,
): boolean {
  const lane = laneInTurn(steps);
  if (lane === null || loss.drain?.isPlain !== true) return false;
  const touched = setOf(loss.nodes);
  const reopens = lane.actor.closeWhen === "node" && lane.actor.afterDrain !== "stays";
  return endpoint.hops.every((hop) => {
    const part = standing.part(hop);
    if (hop.outside !== "" || takenOf(part, loss).length === 0) return true;
    const isAlone = standInsOf(endpoint, hop).length === 1;
    const holding = standing.holds(hop, { need: standing.needOf(endpoint, hop), touched });
    const isKept = isAlone && holding?.by === "budget" && holding.replicas > holding.desiredHealthy;
    return isKept && (reopens || !part.pods.some(({ template }) => rooms.isConfined(template, loss.nodes)));
  });
}

/**
 * Whether the drain of this node, taken first, never ends, and does nothing to these endpoints: pods of others hold it up, and what it
 * takes of them leaves enough elsewhere. So no other node is taken after it, and nobody need play that.
 */
export function standsStill(
  ground: Ground,
  { loss, steps }: { readonly loss: Loss; readonly steps: readonly PlannedStep[] },
  { node, isAsked }: { readonly node: string; isAsked(endpoint: Endpoint): boolean },
): boolean {
  const { standing, rooms } = ground;
  if (laneInTurn(steps) === null || standing.anyMayLook) return false;
  const gone = loss.on(node);
  if (holdersOf(ground, gone).size === 0) return false;
  // Where all are closed by then it may find no place, and drive out whoever is weaker.
  const isStronger = ({ priority }: PodTemplate): boolean => priority > standing.lowestPriority;
  if ([...gone.pods].some(({ template }) => isStronger(template)) || standing.looking.some(isStronger)) return false;
  return [...standing.touchedBy(gone).endpoints].filter(isAsked).every((endpoint) => {
    const argued = standing.nowOf(endpoint) === "up" ? argue(standing, rooms, gone, endpoint) : null;
    // That a budget's pods find room elsewhere is not said where all are closed.
    return argued !== null && argued.because !== "held";
  });
}
