import { type ObjectKey, objectKey, podOfKey } from "../model/key.ts";
import type { ClusterView, Effect, PodView, WorkloadView } from "../model/view.ts";

/** The name the real one uses in audit. */
export const garbageCollectorName = "garbage-collector";

/**
 * What garbage collection does now about these objects: workloads, or pods by their object key. One that is gone has its
 * dependents deleted in the background, whole branches at once; one in foreground deletion has them deleted first, and
 * goes after the last of them. Others are left alone.
 *
 * `suspects` are objects removed since the last time, objects in foreground deletion, and owners of what was removed. Ask
 * before the controllers: an owner made again under the same name must not inherit what the old one left.
 * Mirrors: pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem, processDeletingDependentsItem, 1.36.
 */
export function collectGarbage(view: ClusterView, suspects: Iterable<ObjectKey>): readonly Effect[] {
  const effects: Effect[] = [];
  for (const key of suspects) {
    const workload = view.workload(key);
    const pod = podOf(view, key);
    if (workload !== undefined) {
      if (workload.deleting && workload.foreground) effects.push(...finishWorkload(view, workload));
    } else if (pod !== undefined) {
      if (pod.terminatingSinceMs !== null && pod.heldByFinalizer) effects.push(...finishPod(view, pod));
    } else {
      effects.push(...deleteDependents(view, key));
    }
  }
  return effects;
}

/** The owner of a workload or a pod; null: it has none. Undefined: it is not there. */
export function ownerAbove(view: ClusterView, key: ObjectKey): ObjectKey | null | undefined {
  const pod = podOfKey(key);
  return pod === null ? view.workload(key)?.owner : view.pod(pod)?.owner;
}

/** The key of a pod as an owner: `Pod./namespace/name`. */
export function podObjectKey({ namespace, name }: Pick<PodView, "namespace" | "name">): ObjectKey {
  return objectKey({ apiVersion: "v1", kind: "Pod", namespace, name });
}

function podOf(view: ClusterView, key: ObjectKey): PodView | undefined {
  const pod = podOfKey(key);
  return pod === null ? undefined : view.pod(pod);
}

/** Everything below, so that nothing is left to be taken over by a new object of the same name. */
function deleteDependents(view: ClusterView, owner: ObjectKey): readonly Effect[] {
  const effects: Effect[] = [];
  for (const { key } of view.workloadsOwnedBy(owner)) {
    effects.push({ do: "deleteWorkload", workload: key, by: garbageCollectorName, propagation: "background" });
    effects.push(...deleteDependents(view, key));
  }
  for (const pod of view.podsOwnedBy(owner)) {
    if (pod.terminatingSinceMs === null) effects.push(deletePod(pod));
  }
  return effects;
}

function finishWorkload(view: ClusterView, { key }: WorkloadView): readonly Effect[] {
  const workloads = view.workloadsOwnedBy(key);
  const pods = view.podsOwnedBy(key);
  if (workloads.length === 0 && pods.length === 0) {
    return [{ do: "deleteWorkload", workload: key, by: garbageCollectorName, propagation: "background" }];
  }
  return [
    ...workloads.filter(({ deleting }) => !deleting).map(deleteForeground),
    ...pods.filter((pod) => pod.terminatingSinceMs === null).map(deletePod),
  ];
}

function finishPod(view: ClusterView, pod: PodView): readonly Effect[] {
  const owned = view.workloadsOwnedBy(podObjectKey(pod));
  if (owned.length === 0) return [{ do: "releaseFinalizer", pod: pod.key }];
  return owned.filter(({ deleting }) => !deleting).map(deleteForeground);
}

function deleteForeground({ key }: WorkloadView): Effect {
  return { do: "deleteWorkload", workload: key, by: garbageCollectorName, propagation: "foreground" };
}

function deletePod({ key }: PodView): Effect {
  return { do: "deletePod", pod: key, by: garbageCollectorName, graceMs: null, foreground: false, reason: "" };
}
