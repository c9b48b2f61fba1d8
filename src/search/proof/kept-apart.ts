import type { Cluster } from "../../model/cluster.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { PodView } from "../../model/view.ts";
import { existingTerm, incomingTerm } from "../../scheduler/affinity-term.ts";
import { spreadRules } from "../../scheduler/spread-rule.ts";
import { isPlainPod } from "../plain-pod.ts";
import type { Kind } from "./kinds.ts";

/** Filters that look at more than affinity, taints, room and who is on the node are not argued about. */
export function isPlain(template: PodTemplate): boolean {
  const { hostPorts, requiredPodAffinity, topologySpread } = template;
  if (!isPlainPod(template) || hostPorts.length > 0 || requiredPodAffinity.length > 0) return false;
  return topologySpread.every(
    ({ whenUnsatisfiable, topologyKey }) => whenUnsatisfiable === "ScheduleAnyway" || topologyKey === hostname,
  );
}

/**
 * Pods that may keep one of this template off the node they are on, by its rules or by their own, now or when they are made again.
 * A spread over nodes is such a rule: it lets a pod go to each node that has none that it counts. Null: they keep it off more than
 * that node.
 */
export function keptApart(
  cluster: Cluster,
  template: PodTemplate,
  kinds: readonly Kind[],
): ReadonlySet<PodView> | null {
  const repelling = repellingOf(cluster, template, kinds);
  const spreads = spreadRules(template, "DoNotSchedule");
  if (repelling === null || spreads.length === 0) return repelling;
  if (!isOneNodeEach(cluster)) return null;
  const isSpread = (other: PodTemplate): boolean =>
    other.namespace === template.namespace && spreads.some((rule) => rule.matches(other));
  const spread = kinds.filter(({ now, next }) => isSpread(now) || isSpread(next));
  return new Set([...repelling, ...spread.flatMap(({ pods }) => pods)]);
}

/** The same by anti-affinity alone. */
export function repellingOf(
  cluster: Cluster,
  template: PodTemplate,
  kinds: readonly Kind[],
): ReadonlySet<PodView> | null {
  const repelling = new Set<PodView>();
  const own = template.requiredPodAntiAffinity.map((term) => incomingTerm(cluster, term));
  const keysBetween = (other: PodTemplate): readonly string[] => {
    if (own.length === 0 && other.requiredPodAntiAffinity.length === 0) return [];
    const theirs = other.requiredPodAntiAffinity.map((term) => existingTerm(cluster, term));
    const between = [...own.filter((term) => term.matches(other)), ...theirs.filter((term) => term.matches(template))];
    return between.map(({ topologyKey }) => topologyKey);
  };
  for (const { now, next, pods } of kinds) {
    const keys = [...keysBetween(now), ...(next === now ? [] : keysBetween(next))];
    if (keys.some((key) => key !== hostname)) return null;
    if (keys.length > 0) for (const pod of pods) repelling.add(pod);
  }
  return repelling.size > 0 && !isOneNodeEach(cluster) ? null : repelling;
}

export const hostname = "kubernetes.io/hostname";

/** What is kept apart by host name is kept apart by node. */
export function isOneNodeEach({ nodes }: Cluster): boolean {
  return new Set(nodes.flatMap(({ labels }) => labels.get(hostname) ?? [])).size === nodes.length;
}
