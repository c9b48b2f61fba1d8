import type { Cluster } from "../model/cluster.ts";
import { matches } from "../model/labels.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { existingTerm, incomingTerm } from "./affinity-term.ts";

/** Whether the template's own required rules (affinity, anti-affinity, spread) look at pods like the other; null: it has none. */
export function requiredSelection(cluster: Cluster, template: PodTemplate): ((other: PodTemplate) => boolean) | null {
  const terms = [...template.requiredPodAffinity, ...template.requiredPodAntiAffinity];
  const spreads = template.topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule");
  if (terms.length === 0 && spreads.length === 0) return null;
  return (other) =>
    terms.some((term) => incomingTerm(cluster, term).matches(other) || existingTerm(cluster, term).matches(other)) ||
    // Keys of its own labels only narrow a spread's selector.
    (other.namespace === template.namespace &&
      spreads.some(({ selector }) => selector !== null && matches(selector, other.labels)));
}
