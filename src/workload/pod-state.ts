import type { SimMs } from "../base/units.ts";
import type { PodView } from "../model/view.ts";

/** Succeeded or Failed: it will never run again. */
export function isTerminal(pod: Pick<PodView, "phase">): boolean {
  return pod.phase === "Succeeded" || pod.phase === "Failed";
}

/**
 * What a controller counts as one of its replicas: neither finished nor terminating.
 * Mirrors: pkg/controller/controller_utils.go IsPodActive, 1.36.
 */
export function isActive(pod: PodView): boolean {
  return !isTerminal(pod) && pod.terminatingSinceMs === null;
}

/**
 * Ready, and for at least minReadyMs. What was ready before the scenario began counts as available.
 * Mirrors: pkg/api/v1/pod/util.go IsPodAvailable, 1.36.
 */
export function isAvailable(pod: PodView, minReadyMs: number, nowMs: SimMs): boolean {
  if (!pod.ready) return false;
  const sinceMs = pod.readySinceMs ?? nowMs;
  return minReadyMs === 0 || sinceMs < 0 || sinceMs + minReadyMs <= nowMs;
}

/** When the next of these ready pods becomes available; null: none waits for that. */
export function nextAvailableAtMs(pods: readonly PodView[], minReadyMs: number, nowMs: SimMs): SimMs | null {
  if (minReadyMs === 0) return null;
  let next: SimMs | null = null;
  for (const pod of pods) {
    if (!pod.ready || isAvailable(pod, minReadyMs, nowMs)) continue;
    const atMs = (pod.readySinceMs ?? nowMs) + minReadyMs;
    if (next === null || atMs < next) next = atMs;
  }
  return next;
}
