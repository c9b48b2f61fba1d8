import { type FieldWay, podWays, way } from "./projection.ts";

/** A workload's own fields, for what nothing stands above. Of owners that keep pods of several kinds the knobs name them. */
export function ownWays(kind: string): readonly FieldWay[] {
  if (kind === "RoleSet" || kind === "RayCluster") return [];
  if (kind === "LeaderWorkerSet") {
    const template = "spec.leaderWorkerTemplate.workerTemplate.spec";
    return [way("replicas", "spec.replicas", "spec.replicas"), ...podWays(template, template)];
  }
  const strategy = kind === "Deployment" ? [way("strategy", "spec.strategy", "spec.strategy")] : [];
  const replicas = kind === "DaemonSet" ? [] : [way("replicas", "spec.replicas", "spec.replicas")];
  return [...replicas, ...strategy, ...podWays("spec.template.spec", "spec.template.spec")];
}
