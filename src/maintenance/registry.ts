import type { Actor } from "./actor.ts";
import { aksAutoDrain } from "./actors/aks-auto-drain.ts";
import { aksAutoRepair } from "./actors/aks-auto-repair.ts";
import { aksUpgrade } from "./actors/aks-upgrade.ts";
import { aksUpgradeQuarantine } from "./actors/aks-upgrade-quarantine.ts";
import { clusterApi } from "./actors/cluster-api.ts";
import { clusterAutoscaler } from "./actors/cluster-autoscaler.ts";
import { descheduler } from "./actors/descheduler.ts";
import { doksUpgrade } from "./actors/doks-upgrade.ts";
import { eksAuto } from "./actors/eks-auto.ts";
import { eksAutoExpiry } from "./actors/eks-auto-expiry.ts";
import { eksManaged } from "./actors/eks-managed.ts";
import { eksManagedMinimal } from "./actors/eks-managed-minimal.ts";
import { eksNodeRepair } from "./actors/eks-node-repair.ts";
import { gardener } from "./actors/gardener.ts";
import { gkeAutoRepair } from "./actors/gke-auto-repair.ts";
import { gkeBlueGreen } from "./actors/gke-blue-green.ts";
import { gkeHostMaintenance } from "./actors/gke-host-maintenance.ts";
import { gkeSurge } from "./actors/gke-surge.ts";
import { gracefulShutdown } from "./actors/graceful-shutdown.ts";
import { hypershift } from "./actors/hypershift.ts";
import { iksWorkerUpdate } from "./actors/iks-worker-update.ts";
import { ionosUpgrade } from "./actors/ionos-upgrade.ts";
import { karpenter } from "./actors/karpenter.ts";
import { karpenterExpiry } from "./actors/karpenter-expiry.ts";
import { karpenterInterruption } from "./actors/karpenter-interruption.ts";
import { karpenterRepair } from "./actors/karpenter-repair.ts";
import { kops } from "./actors/kops.ts";
import { kubectlDrain } from "./actors/kubectl-drain.ts";
import { kubectlDrainInTurn } from "./actors/kubectl-drain-in-turn.ts";
import { kured } from "./actors/kured.ts";
import { lkeRecycle } from "./actors/lke-recycle.ts";
import { medik8sNmo } from "./actors/medik8s-nmo.ts";
import { nebius } from "./actors/nebius.ts";
import { nebiusByBatch } from "./actors/nebius-by-batch.ts";
import { nebiusRecovery } from "./actors/nebius-recovery.ts";
import { nebiusRollout } from "./actors/nebius-rollout.ts";
import { nebiusRolloutBefore2026Q3 } from "./actors/nebius-rollout-before-2026-q3.ts";
import { nodeFailure } from "./actors/node-failure.ts";
import { nodePressure } from "./actors/node-pressure.ts";
import { okeNodeCycling } from "./actors/oke-node-cycling.ts";
import { openshiftMco } from "./actors/openshift-mco.ts";
import { schedulerPreemption } from "./actors/scheduler-preemption.ts";
import { spotReclaimAws } from "./actors/spot-reclaim-aws.ts";
import { spotReclaimAzure } from "./actors/spot-reclaim-azure.ts";
import { spotReclaimGcp } from "./actors/spot-reclaim-gcp.ts";
import { systemUpgradeController } from "./actors/system-upgrade-controller.ts";
import { talos } from "./actors/talos.ts";
import { talosOnNode } from "./actors/talos-on-node.ts";
import { zoneLoss } from "./actors/zone-loss.ts";

/**
 * Every actor. Where signs of several are on one cluster, earlier ones come first: an announced maintenance before a cloud's
 * way of upgrading, that before what somebody installed beside it, and what only removes nodes or pods last.
 */
export const actors: readonly Actor[] = [
  nebius,
  nebiusByBatch,
  nebiusRollout,
  nebiusRolloutBefore2026Q3,
  // Its nodes have the operating system of OpenShift's own, and Machines of Cluster API.
  hypershift,
  // OpenShift on IBM Cloud has no Machine Config Operator.
  iksWorkerUpdate,
  openshiftMco,
  gkeHostMaintenance,
  gkeSurge,
  gkeBlueGreen,
  eksAuto,
  eksAutoExpiry,
  // Karpenter's nodes of a cluster before managed groups: a node never has both labels.
  karpenter,
  karpenterExpiry,
  eksManaged,
  eksManagedMinimal,
  aksUpgrade,
  aksUpgradeQuarantine,
  okeNodeCycling,
  doksUpgrade,
  lkeRecycle,
  ionosUpgrade,
  gardener,
  kops,
  clusterApi,
  talos,
  talosOnNode,
  medik8sNmo,
  kured,
  systemUpgradeController,
  kubectlDrain,
  kubectlDrainInTurn,
  clusterAutoscaler,
  descheduler,
  nebiusRecovery,
  gkeAutoRepair,
  eksNodeRepair,
  karpenterRepair,
  nodeFailure,
  zoneLoss,
  spotReclaimAws,
  spotReclaimGcp,
  spotReclaimAzure,
  karpenterInterruption,
  aksAutoDrain,
  aksAutoRepair,
  gracefulShutdown,
  nodePressure,
  schedulerPreemption,
];

export function actorNamed(name: string): Actor | undefined {
  return actors.find((actor) => actor.name === name);
}
