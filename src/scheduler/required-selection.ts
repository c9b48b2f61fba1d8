import type { Cluster } from "../model/cluster.ts";
import { type LabelSelector, matches } from "../model/labels.ts";
import type { PodAffinityTerm, PodTemplate } from "../model/pod-template.ts";
import { existingTerm, incomingTerm } from "./affinity-term.ts";

/** Whether the template's own required rules (affinity, anti-affinity, spread) look at pods like the other; null: it has none. */
export function requiredSelection(cluster: Cluster, template: PodTemplate): ((other: PodTemplate) => boolean) | null {
  const { terms, spreads } = rulesOf(template);
  if (terms.length === 0 && spreads.length === 0) return null;
  return (other) =>
    terms.some((term) => incomingTerm(cluster, term).matches(other) || existingTerm(cluster, term).matches(other)) ||
    // Keys of its own labels only narrow a spread's selector.
    (other.namespace === template.namespace &&
      spreads.some(({ selector }) => selector !== null && matches(selector, other.labels)));
}

/** The selectors of those rules: what none of them takes is not looked at. */
export function requiredSelectors(template: PodTemplate): readonly LabelSelector[] {
  const { terms, spreads } = rulesOf(template);
  return [...terms, ...spreads].flatMap(({ selector }) => selector ?? []);
}

function rulesOf({ requiredPodAffinity, requiredPodAntiAffinity, topologySpread }: PodTemplate): {
  readonly terms: readonly PodAffinityTerm[];
  readonly spreads: PodTemplate["topologySpread"];
} {
  return {
    terms: [...requiredPodAffinity, ...requiredPodAntiAffinity],
    spreads: topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule"),
  };
}
