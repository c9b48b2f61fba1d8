import type { SimMs } from "../base/units.ts";
import type { ObjectKey } from "../model/key.ts";
import type { BudgetView, ClusterView, PodView } from "../model/view.ts";
import type { Workload } from "../model/workload.ts";
import { resourceName } from "./resource-name.ts";

export type ExpectedScale =
  | { readonly ok: true; readonly replicas: number }
  | { readonly ok: false; readonly message: string };

/**
 * The sum of the wanted replicas over the distinct controllers of the pods, as the disruption controller asks them now.
 * A pod without a controller adds nothing; a controller that is gone, or that has no scale, fails the whole budget.
 *
 * An owner that was never in the input says nothing about the real one: then the count the real controller last wrote
 * stands, if it wrote one.
 * Mirrors: pkg/controller/disruption/disruption.go getExpectedScale and its finders, 1.36.
 */
export function expectedScale(view: ClusterView, { budget }: BudgetView, pods: readonly PodView[]): ExpectedScale {
  const scales = new Map<ObjectKey, number>();
  /** Owners asked already, and how old the oldest pod was: an older one may belong to one of the same name before it. */
  const asked = new Map<ObjectKey, SimMs>();
  for (const pod of pods) {
    if (pod.owner === null) continue;
    const sinceMs = asked.get(pod.owner);
    if (sinceMs !== undefined && pod.createdAtMs >= sinceMs) continue;
    asked.set(pod.owner, pod.createdAtMs);
    const found = controllerOf(view, pod, pod.owner);
    if (found.is === "neverSeen" && budget.status !== null && budget.status.expectedPods > 0) {
      return { ok: true, replicas: budget.status.expectedPods };
    }
    if (found.is !== "scale") return { ok: false, message: found.message };
    scales.set(found.owner, found.replicas);
  }
  let replicas = 0;
  for (const scale of scales.values()) replicas += scale;
  return { ok: true, replicas };
}

type Found =
  | { readonly is: "scale"; readonly owner: ObjectKey; readonly replicas: number }
  | { readonly is: "neverSeen" | "none"; readonly message: string };

function controllerOf(view: ClusterView, pod: PodView, owner: ObjectKey): Found {
  const workload = view.workload(owner);
  const none = `found no controllers for pod ${JSON.stringify(pod.name)}`;
  if (workload === undefined) {
    return { is: view.cluster.workloads.has(owner) ? "none" : "neverSeen", message: none };
  }
  // Made again under the same name after its pod: not the object the pod belongs to.
  if (workload.createdAtMs > pod.createdAtMs && workload.createdAtMs >= 0) return { is: "none", message: none };
  const { spec } = workload;
  switch (spec.kind) {
    case "ReplicaSet": {
      const parent = workload.owner === null ? undefined : view.workload(workload.owner);
      if (parent?.spec.kind === "Deployment") return { is: "scale", owner: parent.key, replicas: parent.spec.replicas };
      return { is: "scale", owner, replicas: spec.replicas };
    }
    case "Deployment":
    case "ReplicationController":
    case "StatefulSet":
    case "LeaderWorkerSet":
      return { is: "scale", owner, replicas: spec.replicas };
    case "DaemonSet":
    case "Job":
      return { is: "none", message: noScale(view, owner) };
    case "Other":
      if (!spec.present) return { is: "neverSeen", message: none };
      if (spec.scaleReplicas === null) return { is: "none", message: noScale(view, owner) };
      return { is: "scale", owner, replicas: spec.scaleReplicas };
  }
}

/** Without one, only a budget that is an integer minAvailable ever lets its pods go. */
export function hasScale(spec: Workload): boolean {
  return spec.kind === "Other" ? spec.scaleReplicas !== null : spec.kind !== "DaemonSet" && spec.kind !== "Job";
}

function noScale(view: ClusterView, owner: ObjectKey): string {
  return `${resourceName(view, owner)} does not implement the scale subresource`;
}
