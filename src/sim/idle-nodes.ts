import { budgetsOf } from "../eviction/budgets-of.ts";
import type { DrainFlags } from "../eviction/drain-flags.ts";
import type { Actor } from "../maintenance/actor.ts";
import { hasLabels } from "../model/labels.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { Service } from "../model/policy.ts";
import { toleratesAny } from "../model/taints.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { cordon } from "../scheduler/filters/node-unschedulable.ts";
import { isDaemon, leavingPods } from "./leaving-pods.ts";

/**
 * Of these nodes, all closed, those of which it matters when they are drained. To drain and take away a node changes nothing where
 * nobody is asked to leave it, nobody counts the pods that go with it, and no pod minds nodes that it cannot use.
 */
export function nodesThatMatter(
  view: ClusterView,
  nodes: readonly string[],
  actor: Actor,
  flags: DrainFlags,
): readonly string[] {
  const matter = nodes.filter((node) => !isIdle(view, node, actor, flags));
  return matter.length === nodes.length || [...view.pods].some(({ template }) => mindsClosed(template))
    ? nodes
    : matter;
}

function isIdle(view: ClusterView, name: string, actor: Actor, flags: DrainFlags): boolean {
  const node = view.node(name);
  if (node === undefined || !node.unschedulable || !node.ready) return false;
  const { pods, refusals } = leavingPods(view, name, actor, flags);
  return pods.length === 0 && refusals.length === 0 && node.pods.every((pod) => isDaemon(pod) && !isCounted(view, pod));
}

function isCounted(view: ClusterView, pod: PodView): boolean {
  const { namespace, template } = pod;
  const serves = ({ ref, selector }: Service): boolean =>
    ref.namespace === namespace && selector !== null && hasLabels(template.labels, selector);
  return view.services.some(serves) || budgetsOf(view, pod).length > 0;
}

/** It is spread over them too, or may go there although they are closed. */
function mindsClosed({ topologySpread, tolerations }: PodTemplate): boolean {
  return (
    topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule") ||
    toleratesAny(tolerations, cordon)
  );
}
