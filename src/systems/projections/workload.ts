import { type FieldWay, podWays, way } from "./projection.ts";

/** A workload's own fields, for what nothing stands above. Of owners that keep pods of several kinds the knobs name them. */
export function ownWays(kind: string): readonly FieldWay[] {
  if (kind === "RoleSet" || kind === "RayCluster") return [];
  if (kind === "LeaderWorkerSet") {
    const [leader, worker] = ["leaderTemplate", "workerTemplate"].map(
      (name) => `spec.leaderWorkerTemplate.${name}.spec`,
    );
    const own = (template = ""): readonly FieldWay[] => podWays(template, template);
    return [way("replicas", "spec.replicas", "spec.replicas"), ...own(worker), ...own(leader)];
  }
  const strategy = kind === "Deployment" ? [way("strategy", "spec.strategy", "spec.strategy")] : [];
  const replicas = kind === "DaemonSet" ? [] : [way("replicas", "spec.replicas", "spec.replicas")];
  return [...replicas, ...strategy, ...podWays("spec.template.spec", "spec.template.spec")];
}
