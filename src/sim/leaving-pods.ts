import { byKey } from "../base/ordering.ts";
import { type DrainPlan, planDrain } from "../eviction/drain.ts";
import type { DrainFlags } from "../eviction/drain-flags.ts";
import type { Actor } from "../maintenance/actor.ts";
import { toleratesAny } from "../model/taints.ts";
import type { ClusterView, PodView } from "../model/view.ts";

/** A pod the actor wants off a node, and in which wave. */
export interface LeavingPod {
  readonly pod: PodView;
  readonly wave: number;
  /** Why it is not asked for at all; "" when it is. */
  readonly held: string;
}

export interface LeavingPlan extends Pick<DrainPlan, "refusals" | "refusedPods"> {
  readonly pods: readonly LeavingPod[];
}

/** Pods the actor takes off a node, in the order in which it asks; refusals when it takes none. */
export function leavingPods(view: ClusterView, node: string, { drain, close }: Actor, flags: DrainFlags): LeavingPlan {
  const plan = planDrain(view, node, flags);
  const { refusals, refusedPods } = plan;
  if (refusals.length > 0) return { pods: [], refusals, refusedPods };
  const daemons = new Set(plan.skipped.filter(({ pod }) => isDaemon(pod) && !pod.mirror).map(({ pod }) => pod));
  const wanted = [
    ...plan.evict.filter((pod) => drain.barePods !== "skipped" || pod.owner !== null),
    ...(drain.daemonSetPods === "evicted" ? daemons : []),
  ];
  const pods = wanted
    .filter((pod) => !drain.sparesTolerating || !close.taints.some((t) => toleratesAny(pod.template.tolerations, t)))
    .sort(byKey((pod) => pod.key))
    .map((pod) => ({ pod, wave: drain.inWaves ? waveOf(pod) : 0, held: heldBy(pod, drain) }));
  return { pods, refusals, refusedPods };
}

/** A DaemonSet's: its node alone has it. */
export function isDaemon({ owner }: PodView): boolean {
  return owner?.startsWith("DaemonSet.apps/") === true;
}

/** Others, DaemonSet pods, critical ones, critical DaemonSet pods. */
export function waveOf(pod: PodView): number {
  return (isCritical(pod) ? 2 : 0) + (isDaemon(pod) ? 1 : 0);
}

/** system-cluster-critical and system-node-critical begin here. */
const criticalPriority = 2_000_000_000;

function isCritical({ template }: PodView): boolean {
  return template.priority >= criticalPriority;
}

function heldBy({ template }: PodView, { waitsForAnnotations }: Actor["drain"]): string {
  const held = waitsForAnnotations.find(({ key, value }) => template.annotations.get(key) === value);
  return held === undefined ? "" : `annotation ${held.key}: ${held.value}`;
}

/**
 * Pods a node's own kubelet ends, each with the time after which it has to and the grace it gets. When the machine shuts down
 * critical ones follow the others; under pressure they stay.
 */
export function endingPods(
  view: ClusterView,
  node: string,
  { drain }: Actor,
): readonly { readonly pod: PodView; readonly afterMs: number; readonly graceMs: number }[] {
  const shutsDown = drain.then === "stops-machine";
  const normalMs = drain.graceMaxMs ?? 0;
  const criticalMs = Math.max(0, (drain.holdsForMs ?? 0) - normalMs);
  const ending: { readonly pod: PodView; readonly afterMs: number; readonly graceMs: number }[] = [];
  for (const pod of view.node(node)?.pods ?? []) {
    if (pod.mirror || pod.terminatingSinceMs !== null) continue;
    const critical = isCritical(pod);
    if (critical && !shutsDown) continue;
    ending.push({ pod, afterMs: critical ? normalMs : 0, graceMs: critical ? criticalMs : normalMs });
  }
  return ending;
}

/** Whether the pod has volumes that have to be detached. */
export function hasVolumes({ template }: PodView): boolean {
  return template.volumes.some(({ kind }) => kind === "claim" || kind === "ephemeral");
}
