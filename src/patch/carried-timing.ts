import type { Cluster } from "../model/cluster.ts";
import { type ObjectKey, objectKey } from "../model/key.ts";
import type { Span } from "../sim/scenario.ts";
import type { Timing } from "../sim/timing.ts";

/**
 * Times that outlive a change of template: pods of a Deployment's next ReplicaSet start as those of the last ones did, where
 * that was learnt.
 */
export function carriedTiming(cluster: Cluster, timing: Timing): Timing {
  const learnt = new Map<ObjectKey, Span>();
  for (const pod of cluster.pods) {
    const owner = pod.owner === null ? undefined : cluster.workloads.get(pod.owner);
    if (owner?.kind !== "ReplicaSet" || owner.owner === null) continue;
    const { from, leastMs, mostMs } = timing.podStart(pod);
    if (from !== "learnt") continue;
    const known = learnt.get(owner.owner);
    learnt.set(owner.owner, {
      leastMs: Math.min(leastMs, known?.leastMs ?? leastMs),
      mostMs: Math.max(mostMs, known?.mostMs ?? mostMs),
    });
  }
  return {
    ...timing,
    podStart(pod) {
      const span = timing.podStart(pod);
      const carried = span.from === "default" && pod.owner !== null ? learnt.get(deploymentOf(pod.owner)) : undefined;
      return carried === undefined ? span : { ...carried, from: "learnt" };
    },
  };
}

/** A ReplicaSet is named after its Deployment and a hash. */
function deploymentOf(owner: ObjectKey): ObjectKey {
  const [kind = "", namespace = "", name = ""] = owner.split("/");
  if (kind !== "ReplicaSet.apps") return owner;
  const cut = name.lastIndexOf("-");
  return objectKey({ apiVersion: "apps/v1", kind: "Deployment", namespace, name: name.slice(0, Math.max(0, cut)) });
}
