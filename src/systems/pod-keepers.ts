import type { Cluster } from "../model/cluster.ts";
import { groupOf, type ObjectKey } from "../model/key.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { OtherOwner, Workload } from "../model/workload.ts";
import { fieldsOf } from "./facts.ts";

interface PodKeeper {
  /** Kind.group of the owner of the pods. */
  readonly kind: string;
  isOperator(workload: Workload): boolean;
  /** What the play of this owner leaves out. */
  readonly unsure: string;
}

const named =
  (name: string) =>
  ({ labels }: Workload): boolean =>
    labels.get("app.kubernetes.io/name") === name;

/**
 * Custom resources whose operator makes a pod of theirs again, one for one and once the old one is gone: as many pods are counted
 * as exist, terminating ones too.
 * Mirrors: KubeRay v1.7 reconcilePods (one host a replica), Grove 2026-08 syncflow, AIBrix v0.7 rolesyncer without surge.
 */
const keepers: readonly PodKeeper[] = [
  {
    kind: "RayCluster.ray.io",
    isOperator: named("kuberay-operator"),
    unsure: "when Ray Serve has a replica on a new worker, and what a lost head does to the workers",
  },
  {
    kind: "PodClique.grove.io",
    isOperator: named("grove-operator"),
    unsure: "what Grove does with a gang that is short of pods",
  },
  {
    kind: "RoleSet.orchestration.aibrix.ai",
    isOperator: ({ ref }) => ref.name === "aibrix-controller-manager",
    unsure: "whether AIBrix makes a pod again before the old one is gone",
  },
];

export interface KeptBy {
  /** The Deployment of the operator. */
  readonly operator: ObjectKey;
  readonly unsure: string;
}

/**
 * Who makes pods like this of this owner again; null: nobody in the input, or in a way that is not known. Where another scheduler
 * places them, nothing is known of them either.
 */
export function keptBy(cluster: Cluster, owner: OtherOwner, template: PodTemplate): KeptBy | null {
  if (template.schedulerName !== "default-scheduler" && template.schedulerName !== "") return null;
  const keeper = keepers.find(({ kind }) => kind === `${owner.ref.kind}.${groupOf(owner.ref.apiVersion)}`);
  if (keeper === undefined || !owner.present || isOfSeveralHosts(cluster, owner)) return null;
  for (const workload of cluster.workloads.values()) {
    if (workload.kind === "Deployment" && keeper.isOperator(workload))
      return { operator: workload.key, unsure: keeper.unsure };
  }
  return null;
}

/** Ray replicas of several hosts are made anew as a whole. */
function isOfSeveralHosts(cluster: Cluster, { key }: OtherOwner): boolean {
  const other = cluster.others.get(key);
  if (other === undefined) return false;
  const groups = fieldsOf(other).object("spec").objects("workerGroupSpecs");
  return groups.some((group) => (group.count("numOfHosts") ?? 1) > 1);
}
