import { none } from "../../base/none.ts";
import { underKey } from "../../base/under-key.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { combine, isWithin } from "../../model/resources.ts";
import type { ClusterView, NodeView, PodView } from "../../model/view.ts";
import { type SpreadRule, spreadRules } from "../../scheduler/spread-rule.ts";
import { targetOf } from "../../workload/daemon-nodes.ts";
import { nextOf } from "../owners.ts";
import type { ActorPromise } from "./actor-promise.ts";
import { podCount } from "./amounts.ts";
import { countedBy, isPlainButSpread } from "./kept-apart.ts";
import type { Kind } from "./kinds.ts";
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
  const { view, alone, roster } = standing;
  const { closedAtMost, drainedAtMost, goneAtMost, lentTo, takesWhole } = promise;
  if (closedAtMost !== 1 || drainedAtMost !== 1 || lentTo !== null || takesWhole || alone.late.length > 0) return false;
  const worked = new Set(nodes);
  if (mayComeLate(view, worked)) return false;
  const mayCome = (template: PodTemplate): boolean => nodes.some((name) => rooms.usable(template).has(name));
  // Those that move by themselves may take a place that somebody left.
  const isStray = (pod: PodView): boolean =>
    worked.has(pod.node?.name ?? "") || mayCome(pod.template) || mayCome(nextOf(view, pod));
  if (roster.wandering.values().some(isStray)) return false;
  const coming = Map.groupBy(alone.coming, targetOf);
  const fits = (name: string): boolean => {
    const node = view.node(name);
    return node !== undefined && isWithinNode(node, coming.get(name) ?? none);
  };
  if (!nodes.every(fits)) return false;
  const usesAll = new Map<ReadonlySet<string>, boolean>();
  const mayUse = ({ next, nodes: own }: Kind): boolean => {
    const usable = rooms.usable(next);
    const isAny = underKey(usesAll, usable, () => worked.isSubsetOf(usable));
    return isAny || Iterator.from(own).every((name) => !worked.has(name) || usable.has(name));
  };
  const kinds = new Set(nodes.flatMap((name) => roster.leavingFrom(name)));
  return kinds.values().every((kind) => isFree(kind, { standing, goneAtMost, worked }) && mayUse(kind));
}

/** A set that goes up one by one makes a pod when those before it are Ready: others may have its room by then. */
function mayComeLate(view: ClusterView, worked: ReadonlySet<string>): boolean {
  return Iterator.from(view.workloads).some(({ key, spec }) => {
    if (spec.kind !== "StatefulSet" || spec.podManagement !== "OrderedReady" || spec.replicas <= 1) return false;
    return view.podsOwnedBy(key).some(({ node }) => worked.has(node?.name ?? ""));
  });
}

interface Around {
  readonly standing: Standing;
  readonly goneAtMost: number;
  readonly worked: ReadonlySet<string>;
}

/** Where it may stand depends on nothing but nodes, room it had, anti-affinity on the node, and spreads that let it return. */
function isFree(kind: Kind, around: Around): boolean {
  const { now, next, own } = kind;
  if (!isPlainButSpread(next) || !isWithin(next.requests, own)) return false;
  const { keptApart } = around.standing;
  const [repelling, before] = [keptApart.repelling(next), keptApart.repelling(now)];
  if (repelling === null || before === null) return false;
  if (repelling !== before && repelling.symmetricDifference(before).size > 0) return false;
  if (repelling.size > 0 && !areAlone(kind, repelling, around.worked)) return false;
  return spreadRules(next, "DoNotSchedule").every((rule) => isBalanced(next, rule, around));
}

/** On nodes that are worked on nobody else is there that keeps one of these off. */
function areAlone(kind: Kind, repelling: ReadonlySet<Kind>, worked: ReadonlySet<string>): boolean {
  const counts = new Map<string, number>();
  for (const { nodes } of repelling) for (const node of nodes) counts.set(node, (counts.get(node) ?? 0) + 1);
  const own = repelling.has(kind) ? 1 : 0;
  return Iterator.from(kind.nodes).every((node) => !worked.has(node) || (counts.get(node) ?? 0) === own);
}

/**
 * Whether a spread always lets a pod return to the domain it left. The argument: all that it counts are pods of this rule, and no
 * domain has more than one more of them than another. That stays so, those that wait counted where they were: whoever goes to another
 * domain goes to one that has the least, and so had fewer than the one it left. Without one that waits that one has no more than any.
 */
function isBalanced(template: PodTemplate, rule: SpreadRule, { standing, goneAtMost }: Around): boolean {
  const { keptApart, domains } = standing;
  if (rule.maxSkew !== 1 || rule.honorsTaints || rule.selectsAll || goneAtMost > 0) return false;
  const kinds = countedBy(template, rule, keptApart.kinds);
  if (!kinds.every(({ now, next }) => next === template && rule.matches(now) && rule.matches(next))) return false;
  const over = domains.of(template, rule);
  if (over.lasting < over.domains.size) return false;
  const counts = new Map(over.domains.values().map((domain) => [domain, 0]));
  let left = kinds.reduce((sum, { count }) => sum + count, 0);
  for (const node of kinds.values().flatMap(({ nodes }) => nodes)) {
    const domain = over.domainOf.get(node);
    if (domain === undefined) return false;
    counts.set(domain, (counts.get(domain) ?? 0) + 1);
    left -= 1;
  }
  if (left > 0) return false;
  const all = [...counts.values()];
  return counts.size >= rule.minDomains && Math.max(...all) - Math.min(...all) <= 1;
}

/** What stands there fits, with what is on its way there. */
function isWithinNode(view: NodeView, coming: readonly PodView[]): boolean {
  if (podCount.held(view) + coming.length > podCount.of(view.node)) return false;
  const all = coming.reduce((sum, { requests }) => combine(sum, requests, 1), view.requested);
  return isWithin(all, view.node.allocatable);
}
