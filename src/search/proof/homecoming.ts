import type { PodTemplate } from "../../model/pod-template.ts";
import { combine, isWithin } from "../../model/resources.ts";
import type { NodeView, PodView } from "../../model/view.ts";
import { hasAllKeys, includes, type SpreadRule, spreadRules } from "../../scheduler/spread-rule.ts";
import { targetOf } from "../../workload/daemon-nodes.ts";
import { nextOf, staysPut } from "../owners.ts";
import type { ActorPromise } from "./actor-promise.ts";
import { countedBy, isPlainButSpread } from "./kept-apart.ts";
import type { Rooms } from "./rooms.ts";
import type { Standing } from "./standing.ts";

/**
 * Whether nobody waits for a place any more when the next of these nodes is closed.
 *
 * The argument: one node is closed at a time, and when the first is, nobody waits. So only pods that left it can wait while it is
 * closed. When it is open again, nothing stands there but what stays put and such of these as came back: what stood there together
 * before. So each that still waits finds room there. This takes that no rule keeps it off what was its place: other pods that repel
 * it are not there, and a spread over domains lets it return to the one it left.
 */
export function comesHome(
  standing: Standing,
  rooms: Rooms,
  { nodes, promise }: { readonly nodes: readonly string[]; readonly promise: ActorPromise },
): boolean {
  const { view, alone } = standing;
  const { closedAtMost, drainedAtMost, goneAtMost, lentTo, takesWhole } = promise;
  if (closedAtMost !== 1 || drainedAtMost !== 1 || lentTo !== null || takesWhole || alone.late.length > 0) return false;
  const worked = new Set(nodes);
  const mayCome = (template: PodTemplate): boolean => nodes.some((name) => rooms.usable(template).has(name));
  // Those that move by themselves may take a place that somebody left.
  const isStray = (pod: PodView): boolean =>
    standing.wanders(pod) && (worked.has(pod.node?.name ?? "") || mayCome(pod.template) || mayCome(nextOf(view, pod)));
  if (rooms.moving.some(({ pods }) => pods.some(isStray))) return false;
  const mayReturn = new Map<PodTemplate, boolean>();
  const returns = (pod: PodView, node: NodeView): boolean => {
    const next = nextOf(view, pod);
    const known = mayReturn.get(next) ?? isFree(next, { view, rooms, goneAtMost });
    mayReturn.set(next, known);
    if (!known || !rooms.usable(next).has(node.name) || !isWithin(next.requests, pod.requests)) return false;
    const [repelling, before] = [rooms.repelling(next), rooms.repelling(pod.template)];
    if (repelling === null || before === null) return false;
    if (repelling !== before && repelling.symmetricDifference(before).size > 0) return false;
    return repelling.size === 0 || node.pods.every((other) => other === pod || !repelling.has(other));
  };
  const coming = Map.groupBy(alone.coming, targetOf);
  return nodes.every((name) => {
    const node = view.node(name);
    if (node === undefined || !isWithinNode(node, coming.get(name) ?? [])) return false;
    return node.pods.every((pod) => staysPut(view, pod) || returns(pod, node));
  });
}

type Around = Pick<Standing, "view"> & { readonly rooms: Rooms; readonly goneAtMost: number };

/** Where it may stand depends on nothing but nodes, room, anti-affinity on the node, and spreads that let it return. */
function isFree(template: PodTemplate, around: Around): boolean {
  if (!isPlainButSpread(template)) return false;
  const rules = spreadRules(template, "DoNotSchedule");
  return rules.every((rule) => isBalanced(template, { ...around, rule, rules }));
}

/**
 * Whether a spread always lets a pod return to the domain it left. The argument: all that it counts are pods of this rule, and no
 * domain has more than one more of them than another. That stays so, those that wait counted where they were: whoever goes to another
 * domain goes to one that has the least, and so had fewer than the one it left. Without one that waits that one has no more than any.
 */
function isBalanced(
  template: PodTemplate,
  {
    view,
    rooms,
    goneAtMost,
    rule,
    rules,
  }: Around & { readonly rule: SpreadRule; readonly rules: readonly SpreadRule[] },
): boolean {
  if (rule.maxSkew !== 1 || rule.honorsTaints || rule.selectsAll || goneAtMost > 0) return false;
  const counted = countedBy(template, rule, rooms.kinds);
  if (!counted.every(({ now, next }) => next === template && rule.matches(now) && rule.matches(next))) return false;
  const isCounted = (node: NodeView): boolean => hasAllKeys(rules, node) && includes(rule, template, node);
  const domains = new Map<string, number>();
  const domainOf = ({ node }: NodeView): string => node.labels.get(rule.topologyKey) ?? "";
  for (const node of view.nodes) if (isCounted(node)) domains.set(domainOf(node), 0);
  for (const { node } of counted.flatMap(({ pods }) => pods)) {
    if (node === null || !isCounted(node)) return false;
    domains.set(domainOf(node), (domains.get(domainOf(node)) ?? 0) + 1);
  }
  const counts = [...domains.values()];
  return domains.size >= rule.minDomains && Math.max(...counts) - Math.min(...counts) <= 1;
}

/** What stands there fits, with what is on its way there. */
function isWithinNode({ node, requested, pods }: NodeView, coming: readonly PodView[]): boolean {
  const all = coming.reduce((sum, { requests }) => combine(sum, requests, 1), requested);
  return pods.length + coming.length <= node.podsMax && isWithin(all, node.allocatable);
}
