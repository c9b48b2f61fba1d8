import type { PodTemplate } from "../model/pod-template.ts";
import type { PodView } from "../model/view.ts";
import { isTerminal } from "./pod-state.ts";

/** What a process takes to stop after its preStop hook when nothing else is known, ms. */
export const stopAfterHookMs = 5000;

/**
 * How long a running pod of this template takes to stop: its longest preStop hook and a little, at most the grace.
 * A hook of unknown length takes the whole grace. `graceOverrideMs`: the deleter's grace, null for the pod's own.
 */
export function stopMs(template: PodTemplate, graceOverrideMs: number | null): number {
  const graceMs = graceOverrideMs ?? template.terminationGraceMs;
  let hookMs = 0;
  for (const { preStopMs } of [...template.containers, ...template.initContainers]) {
    if (preStopMs === null) continue;
    if (preStopMs < 0) return graceMs;
    hookMs = Math.max(hookMs, preStopMs);
  }
  return Math.min(hookMs + stopAfterHookMs, graceMs);
}

/**
 * As stopMs, for a pod as it stands: one that is bound to no node, or finished, is gone at once.
 * Mirrors: pkg/registry/core/pod/strategy.go CheckGracefulDelete, 1.36.
 */
export function podStopMs(pod: PodView, graceOverrideMs: number | null): number {
  if (pod.node === null || isTerminal(pod)) return 0;
  return stopMs(pod.template, graceOverrideMs);
}
