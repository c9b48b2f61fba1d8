import type { SimMs } from "../base/units.ts";
import type { ObjectKey } from "../model/key.ts";
import type { BudgetView, ClusterView, PodCohort, PodView, WorkloadView } from "../model/view.ts";
import type { Workload } from "../model/workload.ts";
import { podsOf } from "./budgets-of.ts";
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
export function expectedScale(view: ClusterView, budget: BudgetView, cohorts: readonly PodCohort[]): ExpectedScale {
  return scaleOfCohorts(view, cohorts) ?? scaleOfPods(view, budget, podsOf(view, budget));
}

/** Where each template has one owner, which is there with a scale and is older than all that happens. Null: asked pod by pod. */
function scaleOfCohorts(view: ClusterView, cohorts: readonly PodCohort[]): ExpectedScale | null {
  const scales = new Map<ObjectKey, number>();
  for (const { size, owner } of cohorts) {
    if (size === 0 || owner === null) continue;
    const workload = owner === undefined ? undefined : view.workload(owner);
    if (workload === undefined || workload.createdAtMs >= 0) return null;
    const found = scaleOf(view, workload);
    if (found === null) return null;
    scales.set(found.owner, found.replicas);
  }
  return { ok: true, replicas: sum(scales) };
}

function sum(scales: ReadonlyMap<ObjectKey, number>): number {
  let replicas = 0;
  for (const scale of scales.values()) replicas += scale;
  return replicas;
}

function scaleOfPods(view: ClusterView, { budget }: BudgetView, pods: readonly PodView[]): ExpectedScale {
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
  return { ok: true, replicas: sum(scales) };
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
  if (spec.kind === "Other" && !spec.present) return { is: "neverSeen", message: none };
  return scaleOf(view, workload) ?? { is: "none", message: noScale(view, owner) };
}

/** Null: it has none. */
function scaleOf(
  view: ClusterView,
  { key, owner, spec }: WorkloadView,
): Extract<Found, { readonly is: "scale" }> | null {
  switch (spec.kind) {
    case "ReplicaSet": {
      const parent = owner === null ? undefined : view.workload(owner);
      if (parent?.spec.kind === "Deployment") return { is: "scale", owner: parent.key, replicas: parent.spec.replicas };
      return { is: "scale", owner: key, replicas: spec.replicas };
    }
    case "Deployment":
    case "ReplicationController":
    case "StatefulSet":
    case "LeaderWorkerSet":
      return { is: "scale", owner: key, replicas: spec.replicas };
    case "Other":
      if (!spec.present || spec.scaleReplicas === null) return null;
      return { is: "scale", owner: key, replicas: spec.scaleReplicas };
    default:
      return null;
  }
}

/** Without one, only a budget that is an integer minAvailable ever lets its pods go. */
export function hasScale(spec: Workload): boolean {
  return spec.kind === "Other" ? spec.scaleReplicas !== null : spec.kind !== "DaemonSet" && spec.kind !== "Job";
}

function noScale(view: ClusterView, owner: ObjectKey): string {
  return `${resourceName(view, owner)} does not implement the scale subresource`;
}
