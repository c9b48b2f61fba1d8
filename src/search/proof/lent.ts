import type { PodTemplate } from "../../model/pod-template.ts";
import type { PodView } from "../../model/view.ts";
import type { Lane } from "../../sim/lanes.ts";
import { targetOf } from "../../workload/daemon-nodes.ts";
import { staysPut } from "../owners.ts";
import { amountsAsked } from "./amounts.ts";
import { requestsOf } from "./kinds.ts";
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
  const nodes = lane.members.flatMap((name) => view.node(name)?.node ?? []);
  const daemons = [...view.pods, ...standing.alone.coming].filter((pod) => staysPut(view, pod));
  const daemonsOn = Map.groupBy(daemons, targetOf);
  const movers = lane.nodes.map((name) => view.podsOn(name).filter((pod) => !staysPut(view, pod)));
  // Those that may come from elsewhere at any time count with every number of nodes.
  const worked = new Set(lane.nodes);
  const free = [...view.pods, ...(standing.newcomers?.pods ?? [])];
  const wandering = free.filter((pod) => standing.wanders(pod) && !worked.has(pod.node?.name ?? ""));
  const asked = amountsAsked(template).map((amount) => {
    const sum = (pods: readonly PodView[]): number =>
      pods.reduce((total, pod) => total + amount.read(requestsOf(view, pod)), 0);
    const spare = nodes.map((node) => amount.of(node) - sum(daemonsOn.get(node.name) ?? []));
    return {
      fills: Math.min(...spare) - amount.read(template.requests) + 1,
      brought: mostOf(sum(wandering), movers.map(sum)),
    };
  });
  const countApart = (pods: readonly PodView[]): number => pods.filter((pod) => apart.has(pod)).length;
  const keptOff = mostOf(countApart(wandering), movers.map(countApart));
  const own = [...apart].some((pod) => pod.template === template) ? 1 : 0;
  if (asked.some(({ fills }) => fills <= 0)) return false;
  const counts = lane.nodes.map((_, index) => index + 1);
  const drained = lane.actor.closeWhen === "all" ? counts : counts.slice(-1);
  return drained.every((count) => {
    const filled = asked.reduce((sum, { fills, brought }) => sum + Math.floor((brought[count] ?? 0) / fills), 0);
    return lane.surgeNodes + count - 1 > filled + Math.max(0, (keptOff[count] ?? 0) - own);
  });
}

/** How much so many of them have together at most, beside what is there in any case. */
function mostOf(anyway: number, amounts: readonly number[]): readonly number[] {
  const sums = [anyway];
  for (const amount of [...amounts].sort((a, b) => b - a)) sums.push((sums.at(-1) ?? 0) + amount);
  return sums;
}
