import type { ClusterView, Effect, PodView, WorkloadView } from "../model/view.ts";
import type { StatefulSet } from "../model/workload.ts";
import { isAvailable } from "./pod-state.ts";
import type { Revisions } from "./stateful-set-revisions.ts";

export const statefulSetControllerName = "statefulset-controller";

/** One StatefulSet and its pods at one moment. */
export interface SetState {
  readonly view: ClusterView;
  readonly workload: WorkloadView;
  readonly set: StatefulSet;
  readonly revisions: Revisions;
  /** By ordinal − start; undefined: none of that name exists. */
  readonly replicas: readonly (PodView | undefined)[];
  /** Pods out of the range, highest ordinal first. */
  readonly condemned: readonly PodView[];
}

export function isUnavailable({ view, set }: SetState, pod: PodView | undefined): boolean {
  return pod === undefined || pod.terminatingSinceMs !== null || !isAvailable(pod, set.minReadyMs, view.nowMs);
}

/** Where the input names no revision, what is there is up to date. */
export function isUpToDate({ revisions }: SetState, pod: PodView): boolean {
  if (revisions.update === "" || pod.revision === revisions.update) return true;
  return pod.revision === "" && revisions.made === 0;
}

export function deletion(pod: PodView): Effect {
  return {
    do: "deletePod",
    pod: pod.key,
    by: statefulSetControllerName,
    graceMs: null,
    foreground: false,
    reason: "",
  };
}
