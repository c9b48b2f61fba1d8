import { underKey } from "../base/under-key.ts";
import type { ObjectKey } from "../model/key.ts";
import type { Autoscaler } from "../model/policy.ts";
import type { ClusterView, Effect } from "../model/view.ts";
import type { Controller } from "./controller.ts";

/** Every autoscaler looks this often. When within the period is not known: here at whole periods from the start. */
const autoscalerPeriodMs = 15_000;

/**
 * Autoscalers, asked through what they scale: too many or too few replicas for the bounds are put right at the next look,
 * metrics or not. Within the bounds a working autoscaler goes back to what it last recommended, as the load is taken to
 * stay as it is; one without metrics leaves the replicas alone. Zero replicas switch it off.
 * Not mirrored: changes of load, stabilization windows and scaling policies.
 * Mirrors: pkg/controller/podautoscaler/horizontal.go reconcileAutoscaler, 1.36.
 */
export const horizontalPodAutoscaler: Controller = {
  name: "horizontal-pod-autoscaler",
  kinds: ["Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "LeaderWorkerSet"],
  reconcile(view, workload) {
    const autoscaler = autoscalerOf(view, workload.key);
    const { spec } = workload;
    if (autoscaler === undefined || !("replicas" in spec) || workload.deleting) return [];
    const wanted = recommend(autoscaler, spec.replicas);
    if (wanted === null) return [];
    const sinceLook = view.nowMs % autoscalerPeriodMs;
    if (view.nowMs <= 0 || sinceLook !== 0) {
      return [{ do: "wake", workload: workload.key, atMs: view.nowMs - sinceLook + autoscalerPeriodMs }];
    }
    const effect: Effect = { do: "setReplicas", workload: workload.key, ...wanted, by: horizontalPodAutoscaler.name };
    return [effect];
  },
};

/** The first in their order. Asked for every workload that is looked at. */
function autoscalerOf({ autoscalers }: ClusterView, target: ObjectKey): Autoscaler | undefined {
  const known = underKey(
    byTarget,
    autoscalers,
    () => new Map(autoscalers.toReversed().map((one) => [one.target, one])),
  );
  return known.get(target);
}

const byTarget = new WeakMap<readonly Autoscaler[], ReadonlyMap<ObjectKey, Autoscaler>>();

/** Null: the replicas stay. */
function recommend(
  autoscaler: Autoscaler,
  replicas: number,
): { readonly replicas: number; readonly reason: string } | null {
  const { minReplicas, maxReplicas, scalingActive, desiredReplicas, onlyUp } = autoscaler;
  if (replicas === 0 && minReplicas !== 0) return null;
  if (replicas > maxReplicas) {
    return { replicas: maxReplicas, reason: "Current number of replicas above Spec.MaxReplicas" };
  }
  if (replicas < minReplicas) {
    return { replicas: minReplicas, reason: "Current number of replicas below Spec.MinReplicas" };
  }
  if (!scalingActive || desiredReplicas === null || desiredReplicas === 0) return null;
  const steady = Math.min(Math.max(desiredReplicas, minReplicas), maxReplicas);
  if (steady === replicas || (steady < replicas && onlyUp)) return null;
  return { replicas: steady, reason: steady < replicas ? "All metrics below target" : "metrics above target" };
}
