import type { ClusterView, WorkloadView } from "../../model/view.ts";
import { isActive } from "../../workload/pod-state.ts";

/** Every controller has the pods it wants: nothing but what is done to them makes more. */
export function isSettled(view: ClusterView): boolean {
  if (view.autoscalers.some(({ target, desiredReplicas }) => scales(view.workload(target), desiredReplicas)))
    return false;
  for (const workload of view.workloads) if (!hasAll(view, workload)) return false;
  return true;
}

function scales(target: WorkloadView | undefined, desired: number | null): boolean {
  if (target === undefined || desired === null) return false;
  return "replicas" in target.spec && target.spec.replicas < desired;
}

function hasAll(view: ClusterView, { key, spec }: WorkloadView): boolean {
  switch (spec.kind) {
    case "Deployment": {
      const sets = view.workloadsOwnedBy(key).map((set) => ("replicas" in set.spec ? set.spec.replicas : 0));
      const filled = sets.filter((replicas) => replicas > 0);
      return filled.length <= 1 && filled.reduce((sum, replicas) => sum + replicas, 0) === spec.replicas;
    }
    case "ReplicaSet":
    case "ReplicationController":
    case "StatefulSet":
      return living(view, key) >= spec.replicas;
    case "LeaderWorkerSet":
      return view.podsOwnedBy(key).length === 0 ? spec.replicas === 0 || view.workloadsOwnedBy(key).length > 0 : true;
    case "Job":
      return living(view, key) >= spec.parallelism || view.podsOwnedBy(key).some(({ phase }) => phase === "Succeeded");
    case "DaemonSet":
    case "Other":
      return true;
    default:
      return true;
  }
}

function living(view: ClusterView, key: string): number {
  return view.podsOwnedBy(key).filter(isActive).length;
}
