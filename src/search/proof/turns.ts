import type { PodTemplate } from "../../model/pod-template.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { incomingTerm } from "../../scheduler/affinity-term.ts";
import { includes, type SpreadRule, spreadRules } from "../../scheduler/spread-rule.ts";
import { nextOf } from "../owners.ts";
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
  const { betweenMs, forcesAfterMs } = promise;
  if (betweenMs === null || !templates.every((template) => rooms.alwaysFinds(template, 1))) return null;
  // A drain that is given up because one stops for too long does not end well.
  if (forcesAfterMs !== null && !templates.every(({ terminationGraceMs: ms }) => ms < forcesAfterMs)) return null;
  return areApart(view, pods, { templates, goneAtMost: promise.goneAtMost }) && betweenMs > 0 ? betweenMs - 1 : null;
}

/** Each of these pods is on a node of its own, and keeps the others off it for good, while so many nodes are gone at most. */
export function areApart(
  view: ClusterView,
  pods: readonly PodView[],
  { templates, goneAtMost }: { readonly templates: readonly PodTemplate[]; readonly goneAtMost: number },
): boolean {
  const { cluster } = view;
  const keepOff = ({ requiredPodAntiAffinity }: PodTemplate): boolean =>
    requiredPodAntiAffinity
      .filter(({ topologyKey }) => topologyKey === hostname)
      .some((term) => templates.every((other) => incomingTerm(cluster, term).matches(other)));
  const areSpread = (template: PodTemplate): boolean =>
    spreadRules(template, "DoNotSchedule").some(
      (rule) => templates.every((other) => rule.matches(other)) && allowsOneEach(view, template, { rule, goneAtMost }),
    );
  const nodes = new Set(pods.map(({ node }) => node));
  const isApart = templates.every((template) => keepOff(template) || areSpread(template));
  return isApart && nodes.size === pods.length && isOneNodeEach(cluster);
}

/** There are always nodes it counts without a pod that it counts, so that none may have two. */
function allowsOneEach(
  view: ClusterView,
  template: PodTemplate,
  { rule, goneAtMost }: { readonly rule: SpreadRule; readonly goneAtMost: number },
): boolean {
  if (rule.topologyKey !== hostname || rule.maxSkew > 1 || rule.selectsAll || rule.honorsTaints) return false;
  const counted = view.nodes.filter((node) => includes(rule, template, node)).length;
  const matching = [...view.pods].filter(
    (pod) => pod.namespace === template.namespace && (rule.matches(pod.template) || rule.matches(nextOf(view, pod))),
  );
  return counted - goneAtMost >= matching.length;
}
