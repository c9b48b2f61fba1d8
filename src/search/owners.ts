import type { PodTemplate } from "../model/pod-template.ts";
import type { ClusterView, PodView } from "../model/view.ts";

/** What the pod's owner makes its next pod of. */
export function nextOf(view: ClusterView, { owner, template }: PodView): PodTemplate {
  const spec = owner === null ? undefined : view.workload(owner)?.spec;
  return spec !== undefined && "template" in spec ? spec.template : template;
}

/** Made for its node: another comes with another node. */
export function isDaemon(view: ClusterView, { owner }: PodView): boolean {
  return owner !== null && view.workload(owner)?.spec.kind === "DaemonSet";
}

/** No drain moves it: a DaemonSet's pod or a static one. */
export function staysPut(view: ClusterView, pod: PodView): boolean {
  return pod.mirror || isDaemon(view, pod);
}
