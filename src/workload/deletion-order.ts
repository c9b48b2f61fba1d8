import type { SimMs } from "../base/units.ts";
import type { PodView } from "../model/view.ts";
import { isActive } from "./pod-state.ts";

/** What the order needs beside the pods: pods of every ReplicaSet with the same controller, and the time. */
export interface DeletionContext {
  readonly related: readonly PodView[];
  readonly nowMs: SimMs;
}

/**
 * The pods a ReplicaSet deletes first when it has too many: not bound, pending, unready, lower pod-deletion-cost, more
 * related pods on the node, ready for a shorter time, more restarts, younger. Times are whole seconds, as the API keeps
 * them, and are compared by the whole logarithm of the age; pods as old by that measure, but not to the second, are drawn by
 * their uid, which is random upstream: here the younger one goes. Pods alike in everything stay in the order of the
 * controller's cache, where the one seen first mostly comes first.
 * Mirrors: pkg/controller/controller_utils.go ActivePodsWithRanks.Less, 1.36 (gates LogarithmicScaleDown and PodDeletionCost on).
 */
export function inDeletionOrder(pods: readonly PodView[], { related, nowMs }: DeletionContext): readonly PodView[] {
  const onNode = new Map<string, number>();
  for (const pod of related) {
    if (isActive(pod)) onNode.set(nodeName(pod), (onNode.get(nodeName(pod)) ?? 0) + 1);
  }
  const rank = (pod: PodView): number => onNode.get(nodeName(pod)) ?? 0;
  return [...pods].sort(
    (a, b) =>
      Number(a.node !== null) - Number(b.node !== null) ||
      phaseOrdinal(a) - phaseOrdinal(b) ||
      Number(a.ready) - Number(b.ready) ||
      deletionCost(a) - deletionCost(b) ||
      rank(b) - rank(a) ||
      byReadyTime(a, b, nowMs) ||
      b.restarts - a.restarts ||
      byAge(a.createdAtMs, b.createdAtMs, nowMs, b.uid - a.uid) ||
      a.uid - b.uid,
  );
}

function nodeName(pod: PodView): string {
  return pod.node?.name ?? "";
}

function phaseOrdinal({ phase }: PodView): number {
  return phase === "Running" ? 2 : phase === "Unknown" ? 1 : 0;
}

/** Annotation controller.kubernetes.io/pod-deletion-cost: a 32-bit integer without plus or leading zeros, else 0. */
function deletionCost({ template }: PodView): number {
  const text = template.annotations.get("controller.kubernetes.io/pod-deletion-cost");
  if (text === undefined || !/^(0|-?[1-9]\d*)$/.test(text)) return 0;
  const cost = Number(text);
  return Math.abs(cost) <= 2_147_483_647 ? cost : 0;
}

function byReadyTime(a: PodView, b: PodView, nowMs: SimMs): number {
  if (!a.ready || !b.ready || a.readySinceMs === null || b.readySinceMs === null) return 0;
  return byAge(a.readySinceMs, b.readySinceMs, nowMs, b.uid - a.uid);
}

/** Negative: a is younger. Equal whole seconds are equal; equal logarithms fall to the draw. */
function byAge(aMs: SimMs, bMs: SimMs, nowMs: SimMs, draw = 0): number {
  const a = Math.floor(aMs / 1000);
  const b = Math.floor(bMs / 1000);
  if (a === b) return 0;
  return logarithm(nowMs - a * 1000) - logarithm(nowMs - b * 1000) || draw;
}

/** Of nanoseconds, truncated; -1 for no age. */
function logarithm(ageMs: number): number {
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1;
}
