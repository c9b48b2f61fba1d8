import { matches } from "../model/labels.ts";
import type { PodTemplate, TopologySpreadConstraint } from "../model/pod-template.ts";

export const host = "kubernetes.io/hostname";

/** The selector takes the pods that carry it. */
export function isOwn(template: PodTemplate, selector: TopologySpreadConstraint["selector"]): boolean {
  return selector !== null && matches(selector, template.labels);
}

/** Constraints over nodes that its own pods must meet. */
export function hardSpreads(template: PodTemplate): readonly TopologySpreadConstraint[] {
  return template.topologySpread.filter(
    ({ topologyKey, whenUnsatisfiable, selector }) =>
      topologyKey === host && whenUnsatisfiable === "DoNotSchedule" && isOwn(template, selector),
  );
}

/** It wants its pods on different nodes, and insists by nothing. */
export function isWish(template: PodTemplate): boolean {
  const overOwn = ({ topologyKey, selector }: Pick<TopologySpreadConstraint, "topologyKey" | "selector">): boolean =>
    topologyKey === host && isOwn(template, selector);
  if (template.requiredPodAntiAffinity.some(overOwn) || hardSpreads(template).length > 0) return false;
  return [...template.topologySpread, ...template.preferredPodAntiAffinity.map(({ term }) => term)].some(overOwn);
}
