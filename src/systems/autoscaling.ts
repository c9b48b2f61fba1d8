import type { OtherObject } from "../model/cluster.ts";
import { type Facts, fieldsOf, type Part } from "./facts.ts";
import { field, type Knobs } from "./knobs.ts";
import { helmPart, managedBy } from "./part-rules.ts";
import { noEntries, type System } from "./system.ts";

/** KEDA and the HorizontalPodAutoscalers it makes. Mirrors: KEDA v2.18 ScaledObject. */
export const autoscaling: System = {
  name: "autoscaling",
  title: "KEDA and HorizontalPodAutoscaler",
  about:
    "Whatever scales a workload owns its replicas: the floor is minReplicas of the HorizontalPodAutoscaler, or minReplicaCount of " +
    "the ScaledObject that made it. Replicas written elsewhere are undone at its next sync.",
  gateways: [],
  entries: noEntries,
  parts: [
    helmPart({
      hop: "controller",
      component: "KEDA operator",
      whileGone: "Nothing is scaled from or to zero.",
      match: { kinds: ["Deployment"], labels: { "app.kubernetes.io/name": "keda-operator" } },
      values: {
        replicas: "operator.replicaCount",
        budget: "podDisruptionBudget.operator",
        spread: "topologySpreadConstraints.operator",
      },
    }),
  ],
};

/** The fewest replicas that a ScaledObject leaves; null: it is paused, and leaves them as they are. */
export function leastOfScaledObject(scaled: OtherObject): number | null {
  const held = scaled.annotations.get("autoscaling.keda.sh/paused-replicas") ?? "";
  if (/^\d+$/.test(held)) return Number(held);
  if (scaled.annotations.get("autoscaling.keda.sh/paused") === "true") return null;
  const spec = fieldsOf(scaled).object("spec");
  return spec.count("idleReplicaCount") ?? spec.count("minReplicaCount") ?? 0;
}

/** The knobs with replicas at the autoscaler, unless they are set above the workload anyway. */
export function autoscaledKnobs(facts: Facts, part: Part, knobs: Knobs): Knobs {
  const autoscaler = facts.cluster.autoscalers.find(({ target }) => target === part.workload.key);
  const { replicas } = knobs;
  const own =
    replicas.by === "field" &&
    replicas.target.name === part.workload.ref.name &&
    replicas.target.kind === part.workload.ref.kind;
  if (autoscaler === undefined || !own) return knobs;
  const scaled = facts.others("ScaledObject", "keda.sh").find(({ key }) => key === autoscaler.owner);
  const note = "An autoscaler owns the replicas; raise its maximum too where that is lower.";
  return {
    ...knobs,
    replicas:
      scaled === undefined
        ? field(autoscaler.ref, "spec.minReplicas", note)
        : field(scaled.ref, "spec.minReplicaCount", note),
    managedBy: managedBy(part.workload),
  };
}
