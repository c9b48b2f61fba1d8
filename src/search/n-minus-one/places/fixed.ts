import { matchesRequiredNodeAffinity, matchesTerm } from "../../../model/node-selector.ts";
import type { PodTemplate, Taint } from "../../../model/pod-template.ts";
import { repelled, toleratesAny } from "../../../model/taints.ts";
import type { NodeView } from "../../../model/view.ts";

/** The taint by which a pod says that it tolerates a cordon. */
export const cordon: Taint = { key: "node.kubernetes.io/unschedulable", value: "", effect: "NoSchedule" };

/** What a pod's tolerations and selectors say of each node: the same for all pods that state the same. */
export interface Fixed {
  /** 1: neither cordon, taints nor node affinity keep it away. */
  readonly open: Uint8Array;
  /** PreferNoSchedule taints it does not tolerate. */
  readonly taints: Int32Array;
  /** Weights of its preferred node affinity. */
  readonly affinity: Int32Array;
  readonly toleratesCordon: boolean;
}

export function fixedOf(views: readonly NodeView[], template: PodTemplate): Fixed {
  const fixed: Fixed = {
    open: new Uint8Array(views.length),
    taints: new Int32Array(views.length),
    affinity: new Int32Array(views.length),
    toleratesCordon: toleratesAny(template.tolerations, cordon),
  };
  for (const [at, view] of views.entries()) fixNode(fixed, template, at, view);
  return fixed;
}

/** One node again: its taints or its cordon changed. */
export function fixNode(fixed: Fixed, template: PodTemplate, at: number, view: NodeView): void {
  const { tolerations } = template;
  const cordoned = view.unschedulable && !fixed.toleratesCordon;
  const open = !cordoned && !repelled(view.taints, tolerations) && matchesRequiredNodeAffinity(template, view.node);
  fixed.open[at] = open ? 1 : 0;
  let untolerated = 0;
  for (const taint of view.taints) {
    if (taint.effect === "PreferNoSchedule" && !toleratesAny(tolerations, taint)) untolerated += 1;
  }
  fixed.taints[at] = untolerated;
  let weight = 0;
  for (const preferred of template.preferredNodeAffinity) {
    if (matchesTerm(preferred.term, view.node)) weight += preferred.weight;
  }
  fixed.affinity[at] = weight;
}
