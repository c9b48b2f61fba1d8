import { scaledValue } from "../model/int-or-percent.ts";
import type { Effect, PodView } from "../model/view.ts";
import { isAvailable } from "./pod-state.ts";
import { deletion, isUnavailable, isUpToDate, type SetState } from "./stateful-set-state.ts";

/**
 * What a rolling update deletes now, from the highest ordinal down to the partition. Up to 1.36 one pod at a time, the
 * next when it is available again; from 1.37 maxUnavailable pods at a time (rounded down, at least 1), and Parallel sets
 * first clear old pods that are unavailable anyway.
 * Mirrors: pkg/controller/statefulset/stateful_set_control.go updateStatefulSet, updateStatefulSetAfterInvariantEstablished,
 * 1.36.3 (gate MaxUnavailableStatefulSet off) and 1.37.2 (on).
 */
export function updatesOf(state: SetState): readonly Effect[] {
  const { updateStrategy } = state.set;
  if (updateStrategy.type === "OnDelete") return [];
  const targets = state.replicas.slice(updateStrategy.partition).toReversed();
  if (state.view.cluster.version.minor < 37) return oneAtATime(state, targets);

  const allowed = updateStrategy.maxUnavailable ?? { percent: false, value: 1 };
  const maxUnavailable = Math.max(1, scaledValue(allowed, state.set.replicas, "down"));
  const unavailable = state.replicas.filter((pod) => isUnavailable(state, pod)).length;
  const spare = maxUnavailable - unavailable;
  const outdated = targets.filter(
    (pod) => pod !== undefined && !isUpToDate(state, pod) && pod.terminatingSinceMs === null,
  );
  if (state.set.podManagement === "OrderedReady") return spare > 0 ? deletions(outdated.slice(0, spare)) : [];
  const broken = outdated.filter(
    (pod) => pod !== undefined && !isAvailable(pod, state.set.minReadyMs, state.view.nowMs),
  );
  const working = outdated.filter((pod) => !broken.includes(pod));
  return deletions([...broken, ...working.slice(0, Math.max(0, spare))]);
}

function oneAtATime(state: SetState, targets: readonly (PodView | undefined)[]): readonly Effect[] {
  for (const pod of targets) {
    if (pod !== undefined && pod.terminatingSinceMs === null && !isUpToDate(state, pod)) return [deletion(pod)];
    if (isUnavailable(state, pod)) return [];
  }
  return [];
}

function deletions(pods: readonly (PodView | undefined)[]): readonly Effect[] {
  return pods.filter((pod) => pod !== undefined).map(deletion);
}
