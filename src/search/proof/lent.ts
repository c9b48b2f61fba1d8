import { none } from "../../base/none.ts";
import { underKey } from "../../base/under-key.ts";
import type { Node } from "../../model/node.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { PodView } from "../../model/view.ts";
import type { Lane } from "../../sim/lanes.ts";
import { staysPut } from "../owners.ts";
import { type Amount, amountsAsked } from "./amounts.ts";
import type { Kind } from "./kinds.ts";
import type { Rooms } from "./rooms.ts";
import type { Standing } from "./standing.ts";

/** New nodes of the pool's shape join before the first old one is closed and leave after the last is back; one is drained at a time. */
export function lendsFirst({ actor, nodes, nodesAtOnce, surgeNodes }: Lane): boolean {
  const { surge, afterDrain, drain } = actor;
  const isLent = surge?.when === "before-all" && surge.atEnd === "leave" && surgeNodes > 0;
  const comesBack = afterDrain === "replaced" || afterDrain === "reboots";
  // One that is given up stays closed while the next is taken, but where that ends all.
  const givesUp =
    drain.onError === "fails" || (drain.holdsForMs !== null && (drain.then === "fails" || drain.then === "waits"));
  const leavesClosed = givesUp && actor.onNodeFailure === "continues";
  return isLent && comesBack && !leavesClosed && nodesAtOnce === 1 && nodes.length > 0;
}

/**
 * Whether a pod always finds a place on the lent nodes and those of the lane that are open, until the last of these is back.
 *
 * The argument: while the k-th node is drained, k - 1 are back, and the lent ones are there. Where all were closed at the
 * beginning, only pods of those k nodes can have come to them; else pods of all. Of each amount they bring no more than the k
 * nodes with most of it do, and each place takes so much before one more pod does not fit.
 */
export function findsWhileLent(
  template: PodTemplate,
  lane: Lane,
  { standing, rooms }: { readonly standing: Standing; readonly rooms: Rooms },
): boolean {
  const { view } = standing;
  const apart = rooms.apartFrom(template);
  const usable = rooms.usable(template);
  if (apart === null || !lane.members.every((name) => usable.has(name))) return false;
  if ([...apart].some((pod) => staysPut(view, pod))) return false;
  const around = aroundOf(standing, lane);
  const asked = amountsAsked(template).map((amount) => {
    const { spare, brought } = around.of(amount);
    return { fills: spare - amount.read(template.requests) + 1, brought };
  });
  if (asked.some(({ fills }) => fills <= 0)) return false;
  const keptOff = around.among(apart);
  const own = [...apart].some((pod) => pod.template === template) ? 1 : 0;
  const counts = lane.nodes.map((_, index) => index + 1);
  const drained = lane.actor.closeWhen === "all" ? counts : counts.slice(-1);
  return drained.every((count) => {
    const filled = asked.reduce((sum, { fills, brought }) => sum + Math.floor((brought[count] ?? 0) / fills), 0);
    return lane.surgeNodes + count - 1 > filled + Math.max(0, (keptOff[count] ?? 0) - own);
  });
}

/** What the nodes of a lane hold: asked for every template that may be drained there. */
function aroundOf(standing: Standing, lane: Lane): AroundLane {
  const byLane = underKey(known, standing, () => new WeakMap<Lane, AroundLane>());
  return underKey(byLane, lane, () => new AroundLane(standing, lane));
}

const known = new WeakMap<Standing, WeakMap<Lane, AroundLane>>();

class AroundLane {
  readonly #lane: Lane;
  readonly #members: readonly { readonly node: Node; readonly staying: readonly Kind[] }[];
  /** Node by node. */
  readonly #movers: readonly (readonly Kind[])[];
  /** They may come from elsewhere at any time, and count with every number of nodes. */
  readonly #wandering: ReadonlySet<PodView>;
  readonly #strays: readonly Kind[];
  readonly #amounts = new Map<string, { readonly spare: number; readonly brought: readonly number[] }>();

  constructor({ view, roster }: Standing, lane: Lane) {
    const worked = new Set(lane.nodes);
    const kindsOf = (pods: Iterable<PodView>): readonly Kind[] =>
      Array.from(pods).flatMap((pod) => roster.kindOf(pod) ?? []);
    const byNode = Map.groupBy(roster.wandering, ({ node }) =>
      node !== null && worked.has(node.name) ? node.name : "",
    );
    this.#lane = lane;
    this.#members = lane.members.flatMap((name) => {
      const node = view.node(name)?.node;
      return node === undefined ? [] : [{ node, staying: roster.stayingOn(name) }];
    });
    this.#movers = lane.nodes.map((name) => [...roster.leavingFrom(name), ...kindsOf(byNode.get(name) ?? none)]);
    this.#wandering = new Set(byNode.get(""));
    this.#strays = kindsOf(this.#wandering);
  }

  /** How much of it the members have at least beside what stays there, and how much so many of the lane's nodes bring. */
  of(amount: Amount): { readonly spare: number; readonly brought: readonly number[] } {
    return underKey(this.#amounts, amount.name, () => {
      const sum = (kinds: readonly Kind[]): number =>
        kinds.reduce((total, { requests }) => total + amount.read(requests), 0);
      const spare = this.#members.map(({ node, staying }) => amount.of(node) - sum(staying));
      return { spare: Math.min(...spare), brought: mostOf(sum(this.#strays), this.#movers.map(sum)) };
    });
  }

  /** How many of these so many of the lane's nodes bring. */
  among(pods: ReadonlySet<PodView>): readonly number[] {
    const counts = new Map<string, number>();
    for (const { node } of pods) if (node !== null) counts.set(node.name, (counts.get(node.name) ?? 0) + 1);
    return mostOf(
      pods.intersection(this.#wandering).size,
      this.#lane.nodes.map((name) => counts.get(name) ?? 0),
    );
  }
}

/** How much so many of them have together at most, beside what is there in any case. */
function mostOf(anyway: number, amounts: readonly number[]): readonly number[] {
  const sums = [anyway];
  for (const amount of [...amounts].sort((a, b) => b - a)) sums.push((sums.at(-1) ?? 0) + amount);
  return sums;
}
