import type { ClusterView, Effect, PodView, WorkloadView } from "../model/view.ts";
import type { ReplicaSet } from "../model/workload.ts";
import { asBackOff, holdsOff, refused } from "./back-off.ts";
import type { Controller } from "./controller.ts";
import { inDeletionOrder } from "./deletion-order.ts";
import { admitPod, doubtsAbout } from "./pod-admission.ts";
import { isActive, nextAvailableAtMs } from "./pod-state.ts";

/**
 * ReplicaSets and ReplicationControllers: as many active pods as wanted. A pod stops counting at its deletionTimestamp,
 * so its replacement is made while the old one still holds its place.
 * Not mirrored: bursts of 500, adoption of orphans.
 * Mirrors: pkg/controller/replicaset/replica_set.go syncReplicaSet and manageReplicas, 1.34 to 1.37.
 */
export const replicaSet: Controller = {
  name: "replicaset-controller",
  kinds: ["ReplicaSet", "ReplicationController"],
  reconcile(view, workload) {
    const { spec } = workload;
    if (spec.kind !== "ReplicaSet" && spec.kind !== "ReplicationController") return [];
    if (workload.deleting) return [];
    const { active } = view.podCounts(workload.key);
    const surplus = active - spec.replicas;
    if (surplus < 0) return create(view, workload, spec, active);
    if (surplus > 0) return remove(view, workload, surplus);
    return settled(view, workload, spec);
  },
};

/** With a quota in the namespace one pod at a time, as each one uses it up. */
function create(view: ClusterView, workload: WorkloadView, spec: ReplicaSet, active: number): readonly Effect[] {
  const seen = `${spec.replicas}/${active}`;
  const before = asBackOff(workload.memory);
  if (holdsOff(before, seen, view.nowMs)) return [];
  const admission = admitPod(view, { name: `${spec.ref.name}-`, exact: false }, spec.template);
  if (!admission.admitted) {
    if (admission.silent) return [];
    const message = `Error creating: ${admission.message}`;
    const { backOff, effects } = refused({ workload: workload.key, before, seen, message, nowMs: view.nowMs });
    return [...effects, { do: "remember", workload: workload.key, memory: backOff }];
  }
  const missing = spec.replicas - active;
  const atOnce = hasQuota(view, spec.ref.namespace) ? 1 : missing;
  const effect: Effect = {
    do: "createPod",
    owner: workload.key,
    name: null,
    template: spec.template,
    ordinal: null,
    revision: "",
  };
  return [...doubtsAbout(workload.key, admission.undecided), ...Array.from({ length: atOnce }, () => effect)];
}

export function hasQuota(view: ClusterView, namespace: string): boolean {
  return view.quotas.some(({ ref }) => ref.namespace === namespace);
}

function remove(view: ClusterView, workload: WorkloadView, surplus: number): readonly Effect[] {
  const active = view.podsOwnedBy(workload.key).filter(isActive);
  const order =
    surplus < active.length
      ? inDeletionOrder(active, { related: relatedPods(view, workload), nowMs: view.nowMs })
      : active;
  return order.slice(0, surplus).map((pod) => ({
    do: "deletePod",
    pod: pod.key,
    by: workload.spec.kind === "ReplicationController" ? "replication-controller" : replicaSet.name,
    graceMs: null,
    foreground: false,
    reason: "",
  }));
}

/** Pods of all ReplicaSets with the same controller; without one, its own. */
function relatedPods(view: ClusterView, { key, owner }: WorkloadView): readonly PodView[] {
  if (owner === null) return view.podsOwnedBy(key);
  return view.workloadsOwnedBy(owner).flatMap((sibling) => [...view.podsOwnedBy(sibling.key)]);
}

function settled(view: ClusterView, { key, memory }: WorkloadView, { minReadyMs }: ReplicaSet): readonly Effect[] {
  const effects: Effect[] = [];
  if (asBackOff(memory) !== null) effects.push({ do: "remember", workload: key, memory: null });
  if (minReadyMs === 0) return effects;
  const atMs = nextAvailableAtMs(view.podsOwnedBy(key).filter(isActive), minReadyMs, view.nowMs);
  if (atMs !== null) effects.push({ do: "wake", workload: key, atMs });
  return effects;
}
