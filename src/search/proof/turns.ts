import type { Node } from "../../model/node.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { PodView } from "../../model/view.ts";
import { incomingTerm } from "../../scheduler/affinity-term.ts";
import { type SpreadRule, spreadRules } from "../../scheduler/spread-rule.ts";
import type { ActorPromise } from "./actor-promise.ts";
import { amountsAsked } from "./amounts.ts";
import { countedBy, hostname, isOneNodeEach } from "./kept-apart.ts";
import type { Rooms } from "./rooms.ts";
import type { Standing } from "./standing.ts";

/**
 * How long a pod may take from its place to being Ready so that never more than one of these is away: each keeps the others off
 * its node, one node is taken at a time, and whoever leaves it finds another place at once. So the next one leaves when the last
 * is back, if that takes less than the actor takes from node to node. Null: it cannot be argued so.
 */
export function longestStartByTurns(
  standing: Standing,
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
  return areApart(standing, pods, { templates, goneAtMost: promise.goneAtMost }) && betweenMs > 0
    ? betweenMs - 1
    : null;
}

interface Around {
  /** What the pods are made of, and what follows them. */
  readonly templates: readonly PodTemplate[];
  /** So many nodes are gone at most. */
  readonly goneAtMost: number;
}

/** Each of these pods is on a node of its own, and keeps the others off it for good, while so many nodes are gone at most. */
export function areApart(standing: Standing, pods: readonly PodView[], { templates, goneAtMost }: Around): boolean {
  const { cluster } = standing.view;
  const keepOff = ({ requiredPodAntiAffinity }: PodTemplate): boolean =>
    requiredPodAntiAffinity
      .filter(({ topologyKey }) => topologyKey === hostname)
      .some((term) => templates.every((other) => incomingTerm(cluster, term).matches(other)));
  const areSpread = (template: PodTemplate): boolean =>
    spreadRules(template, "DoNotSchedule").some(
      (rule) =>
        templates.every((other) => rule.matches(other)) && allowsOneEach(standing, template, { rule, goneAtMost }),
    );
  const nodes = new Set(pods.map(({ node }) => node));
  const isApart = templates.every((template) => keepOff(template) || areSpread(template));
  return isApart && nodes.size === pods.length && isOneNodeEach(cluster);
}

/** There are always domains it counts without a pod that it counts, so that none may have two. */
function allowsOneEach(
  { domains, keptApart }: Standing,
  template: PodTemplate,
  { rule, goneAtMost }: { readonly rule: SpreadRule; readonly goneAtMost: number },
): boolean {
  if (rule.maxSkew > 1 || rule.selectsAll || rule.honorsTaints) return false;
  const matching = countedBy(template, rule, keptApart.kinds);
  return domains.of(template, rule).lasting - goneAtMost >= matching.reduce((sum, { count }) => sum + count, 0);
}

/** How many of these pods stand on one node at most, whatever moves where. */
export function mostTogether(
  standing: Standing,
  pods: readonly PodView[],
  { rooms, ...around }: Around & { readonly rooms: Rooms },
): number {
  if (areApart(standing, pods, around)) return 1;
  const { templates } = around;
  const [first] = templates;
  const asked = (first === undefined ? [] : amountsAsked(first)).flatMap((amount) => {
    const least = Math.min(...templates.map(({ requests }) => amount.read(requests)));
    return least > 0 ? { amount, least } : [];
  });
  const fittingOn = (node: Node): number =>
    Math.min(...asked.map(({ amount, least }) => Math.floor(amount.of(node) / least)));
  const most = templates.map((template) => Math.max(0, ...rooms.shapesFor(template).map(fittingOn)));
  return Math.min(pods.length, Math.max(0, ...most));
}
