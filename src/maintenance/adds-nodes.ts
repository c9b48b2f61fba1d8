import { underKey } from "../base/under-key.ts";
import type { Cluster } from "../model/cluster.ts";
import { clusterAutoscaler } from "./actors/cluster-autoscaler.ts";
import { eksAuto } from "./actors/eks-auto.ts";
import { karpenter } from "./actors/karpenter.ts";
import { recogniseActors } from "./recognise.ts";

const adders: ReadonlySet<string> = new Set([karpenter, eksAuto, clusterAutoscaler].map(({ name }) => name));

/**
 * Who is seen to make a node for pods that have no place; null: nobody. A hosted autoscaler (GKE's, AKS') leaves nothing to see it
 * by.
 */
export function whoAddsNodes(cluster: Cluster): string | null {
  return underKey(
    known,
    cluster,
    () => recogniseActors(cluster).find(({ actor }) => adders.has(actor.name))?.actor.name ?? null,
  );
}

const known = new WeakMap<Cluster, string | null>();
