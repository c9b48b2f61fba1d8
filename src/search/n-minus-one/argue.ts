import { setOf } from "../../base/set-of.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { PodView } from "../../model/view.ts";
import { standInsOf } from "../../route/capacity.ts";
import type { Endpoint, Hop } from "../../systems/endpoint.ts";
import { nextOf } from "../owners.ts";
import { allLeave, type Loss, takenOf } from "./loss.ts";
import type { Rooms } from "./rooms.ts";
import type { Part, Standing } from "./standing.ts";

/**
 * What a loss of nodes does to an endpoint, argued without playing it.
 *
 * untouched: none of its pods, nor of their kin, is there; nothing else that happens can reach them.
 * enough: what is left elsewhere is enough at every moment, and each of its pods there is let go.
 * held: a budget keeps what it needs, and every pod it waits for finds room.
 * Null: none of these; it has to be played.
 */
export interface Argued {
  readonly because: "untouched" | "enough" | "held";
  /** The least there can be: everything on these nodes is gone and nothing has come back. */
  readonly unitsLeast: (hop: Hop) => number;
}

export function argue(standing: Standing, rooms: Rooms, loss: Loss, endpoint: Endpoint): Argued | null {
  const parts = endpoint.hops.filter(({ outside }) => outside === "").map((hop) => standing.part(hop));
  if (!parts.every(({ quiet }) => quiet)) return null;
  if (isThreatened(standing, rooms, loss, endpoint)) return null;
  const left = (hop: Hop): number => leftOf(standing, loss, hop);
  const kept = new Map<Hop, number>();
  let because: Argued["because"] = "untouched";
  for (const part of parts) {
    if (standing.mayGoWith(loss, part)) return null;
    const own = takenOf(part, loss);
    if (own.length === 0) continue;
    if (part.bound) return null;
    const { hop } = part;
    if (because === "untouched") because = "enough";
    const isEnough = standing.unitsWith(endpoint, hop, left) >= standing.needOf(endpoint, hop);
    // What is not needed is watched too: none of it may be without a unit for a time.
    if (isEnough && (part.ready === 0 || left(hop) > 0) && allLeave(standing, loss, own)) continue;
    const units = heldUnits(standing, rooms, loss, { endpoint, part, own });
    if (units === null) return null;
    because = "held";
    kept.set(hop, units);
  }
  return { because, unitsLeast: (hop) => kept.get(hop) ?? left(hop) };
}

/** Ready units that stand elsewhere. */
export function leftOf(standing: Standing, lost: Pick<Loss, "nodes" | "pods">, hop: Hop): number {
  const part = standing.part(hop);
  const gone = takenOf(part, lost).reduce((count, pod) => count + (isServing(pod) ? 1 : 0), 0);
  return Math.max(0, part.ready - gone);
}

function isServing({ ready, terminatingSinceMs }: PodView): boolean {
  return ready && terminatingSinceMs === null;
}

/** One of its pods may be driven out by a pod that leaves, or that waits for a place already. */
export function isThreatened(standing: Standing, rooms: Rooms, loss: Loss, endpoint: Endpoint): boolean {
  return standing.lowestOf(endpoint) < threat(standing, rooms, loss) || standing.mayBeDrivenOut(endpoint);
}

/**
 * A pod that looks for a place takes that of one with lower priority only when it finds none: the highest priority of those that
 * leave, or may come, and may find nothing.
 */
export function threat(standing: Standing, rooms: Rooms, loss: Loss): number {
  let known = threats.get(loss);
  if (known === undefined) {
    known = highestThreat(standing, rooms, loss);
    threats.set(loss, known);
  }
  return known;
}

/** Asked for every endpoint that a loss touches. */
const threats = new WeakMap<Loss, number>();

function highestThreat(standing: Standing, rooms: Rooms, loss: Loss): number {
  let highest = Number.NEGATIVE_INFINITY;
  const look = (template: PodTemplate): void => {
    if (template.priority > Math.max(highest, standing.lowestPriority) && !rooms.alwaysFinds(template, loss))
      highest = template.priority;
  };
  for (const template of loss.stronger) look(template);
  for (const template of standing.coming) look(template);
  return highest;
}

/**
 * A budget over exactly the pods of a hop keeps as many as it needs (budget-holds.ts); the pods it lets go come up elsewhere,
 * and then it lets the next ones go. Only for actors that wait as long as that takes. The units it keeps; null: it is not so.
 */
function heldUnits(
  standing: Standing,
  rooms: Rooms,
  loss: Loss,
  { endpoint, part, own }: { readonly endpoint: Endpoint; readonly part: Part; readonly own: readonly PodView[] },
): number | null {
  const { drain, nodes } = loss;
  if (drain === null || drain.holdsForMs !== null || !drain.onlyAsks) return null;
  if (drain.refused || standing.refusesEvictions) return null;
  const { hop, pods, ready } = part;
  // Engines of one role add up: a budget of each alone says nothing about their sum.
  if (standInsOf(endpoint, hop).length > 1 || pods.some(({ keptByFinalizer }) => keptByFinalizer !== "")) return null;
  const need = Math.max(1, standing.needOf(endpoint, hop));
  const holding = standing.holds(hop, { need, touched: setOf(nodes) });
  if (holding?.by !== "budget" || holding.replicas <= holding.desiredHealthy) return null;
  if (!own.every((pod) => rooms.alwaysFinds(nextOf(standing.view, pod), loss))) return null;
  // One that tolerates that may come back to the closed node, and go down with the machine without being asked.
  if (!own.every(({ template }) => drain.keepsOut(template))) return null;
  return ready - Math.min(own.length, standing.allowedBy(holding.budget));
}
