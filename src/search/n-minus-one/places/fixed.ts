import { matchesRequiredNodeAffinity, matchesTerm } from "../../../model/node-selector.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";
import { repelled, toleratesAny } from "../../../model/taints.ts";
import type { NodeView } from "../../../model/view.ts";
import { cordon } from "../../../scheduler/filters/node-unschedulable.ts";

/** What a pod's tolerations and selectors say of each node: the same for all pods that state the same. */
export interface Fixed {
  /** 1: neither cordon, taints nor node affinity keep it away. */
  readonly open: Uint8Array;
  /** Which of them keeps it away, the first in the profile's order: see `closedBy`. */
  readonly closed: Uint8Array;
  /** PreferNoSchedule taints it does not tolerate. */
  readonly taints: Int32Array;
  /** Weights of its preferred node affinity. */
  readonly affinity: Int32Array;
  readonly toleratesCordon: boolean;
}

/** Values of `Fixed.closed`. */
export const closedBy = { nothing: 0, cordon: 1, taints: 2, affinity: 3 } as const;

export function fixedOf(views: readonly NodeView[], template: PodTemplate): Fixed {
  const fixed: Fixed = {
    open: new Uint8Array(views.length),
    closed: new Uint8Array(views.length),
    taints: new Int32Array(views.length),
    affinity: new Int32Array(views.length),
    toleratesCordon: toleratesAny(template.tolerations, cordon),
  };
  for (const [at, view] of views.entries()) fixNode(fixed, template, at, view);
  return fixed;
}

/** One node again: its taints or its cordon changed. True: it scores otherwise. */
export function fixNode(fixed: Fixed, template: PodTemplate, at: number, view: NodeView): boolean {
  const { tolerations } = template;
  const closed = closedTo(fixed, template, view);
  fixed.closed[at] = closed;
  fixed.open[at] = closed === closedBy.nothing ? 1 : 0;
  let untolerated = 0;
  for (const taint of view.taints) {
    if (taint.effect === "PreferNoSchedule" && !toleratesAny(tolerations, taint)) untolerated += 1;
  }
  let weight = 0;
  for (const preferred of template.preferredNodeAffinity) {
    if (matchesTerm(preferred.term, view.node)) weight += preferred.weight;
  }
  const isOther = fixed.taints[at] !== untolerated || fixed.affinity[at] !== weight;
  fixed.taints[at] = untolerated;
  fixed.affinity[at] = weight;
  return isOther;
}

function closedTo({ toleratesCordon }: Fixed, template: PodTemplate, view: NodeView): number {
  if (view.unschedulable && !toleratesCordon) return closedBy.cordon;
  if (repelled(view.taints, template.tolerations)) return closedBy.taints;
  return matchesRequiredNodeAffinity(template, view.node) ? closedBy.nothing : closedBy.affinity;
}
