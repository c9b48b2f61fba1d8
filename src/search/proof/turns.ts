import type { PodTemplate } from "../../model/pod-template.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { incomingTerm } from "../../scheduler/affinity-term.ts";
import type { ActorPromise } from "./actor-promise.ts";
import { hostname, isOneNodeEach } from "./kept-apart.ts";
import type { Rooms } from "./rooms.ts";
import type { Standing } from "./standing.ts";

/**
 * How long a pod may take from its place to being Ready so that never more than one of these is away: each keeps the others off
 * its node, one node is taken at a time, and whoever leaves it finds another place at once. So the next one leaves when the last
 * is back, if that takes less than the actor takes from node to node. Null: it cannot be argued so.
 */
export function longestStartByTurns(
  { view }: Standing,
  pods: readonly PodView[],
  {
    templates,
    promise,
    rooms,
  }: { readonly templates: readonly PodTemplate[]; readonly promise: ActorPromise; readonly rooms: Rooms },
): number | null {
  if (promise.betweenMs === null || !templates.every((template) => rooms.alwaysFinds(template, 1))) return null;
  return areApart(view, pods, templates) && promise.betweenMs > 0 ? promise.betweenMs - 1 : null;
}

/** Each of these pods is on a node of its own, and keeps the others off it for good. */
export function areApart(view: ClusterView, pods: readonly PodView[], templates: readonly PodTemplate[]): boolean {
  const { cluster } = view;
  const keepApart = templates.every(({ requiredPodAntiAffinity }) =>
    requiredPodAntiAffinity
      .filter(({ topologyKey }) => topologyKey === hostname)
      .some((term) => templates.every((other) => incomingTerm(cluster, term).matches(other))),
  );
  const nodes = new Set(pods.map(({ node }) => node));
  return keepApart && nodes.size === pods.length && isOneNodeEach(cluster);
}
