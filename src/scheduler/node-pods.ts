import type { PodTemplate } from "../model/pod-template.ts";
import type { PodView } from "../model/view.ts";

/** The pods of a node, sorted out by what affinity and spread look at. */
export interface NodePods {
  readonly byTemplate: ReadonlyMap<PodTemplate, readonly PodView[]>;
  /** Templates with required anti-affinity. */
  readonly repelling: readonly PodTemplate[];
  /** Templates with any pod affinity or anti-affinity. */
  readonly withAffinity: readonly PodTemplate[];
}

/**
 * By the array itself: a node that gains or loses a pod has a new one. What changes while a pod lives (terminating) must be
 * read from the pods each time.
 */
const known = new WeakMap<readonly PodView[], NodePods>();

export function sortedOut(pods: readonly PodView[]): NodePods {
  const before = known.get(pods);
  if (before !== undefined) return before;
  const byTemplate = new Map<PodTemplate, PodView[]>();
  for (const pod of pods) {
    const alike = byTemplate.get(pod.template);
    if (alike === undefined) byTemplate.set(pod.template, [pod]);
    else alike.push(pod);
  }
  const templates = [...byTemplate.keys()];
  const result = {
    byTemplate,
    repelling: templates.filter((t) => t.requiredPodAntiAffinity.length > 0),
    withAffinity: templates.filter(hasAffinity),
  };
  known.set(pods, result);
  return result;
}

export function hasAffinity(template: PodTemplate): boolean {
  return (
    template.requiredPodAffinity.length > 0 ||
    template.requiredPodAntiAffinity.length > 0 ||
    template.preferredPodAffinity.length > 0 ||
    template.preferredPodAntiAffinity.length > 0
  );
}
