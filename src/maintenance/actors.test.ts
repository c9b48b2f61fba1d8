import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../test/support/rows.ts";
import { parseDrainFlags } from "../eviction/drain-flags.ts";
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
import { actorNamed, actors } from "./registry.ts";

// What the documents and sources say of each actor, in one line: how it closes and when, how many at once, new nodes, how long a
// budget holds and what follows, what a node comes back as. Cell by cell: test/maintenance/tables.test.ts.
const inShort = (actor: Actor): string => {
  const { close, drain, surge } = actor;
  const closes = [close.cordon ? "cordon" : "", close.taints.length > 0 ? "taint" : "", close.condition].filter(
    Boolean,
  );
  const count = (of: Actor["nodesAtOnce"]): string =>
    typeof of !== "object" ? String(of) : "perZone" in of ? `${of.perZone}/zone` : `${of.percent}%${of.rounds}`;
  const hold = drain.holdsForMs === null ? "ever" : `${drain.holdsForMs / 1000}s`;
  return [
    `${closes.join("+") || "nothing"} ${actor.closeWhen}`,
    count(actor.nodesAtOnce),
    surge === null ? "-" : `${count(surge.nodes)} ${surge.when}`,
    `${drain.by} ${hold} ${drain.then}`,
    actor.afterDrain,
  ].join(" | ");
};

const told: readonly (readonly [Actor, string])[] = [
  [kubectlDrain, "cordon all | 1 | - | eviction ever waits | stays"],
  [kubectlDrainInTurn, "cordon node | 1 | - | eviction ever waits | reboots"],
  [nebius, "cordon all | 1 | - | eviction 3600s stops-machine | reboots"],
  [nebiusByBatch, "cordon batch | 1 | - | eviction 3600s stops-machine | reboots"],
  [nebiusRollout, "cordon node | 1 | - | eviction 600s deletes | replaced"],
  [nebiusRolloutBefore2026Q3, "cordon node | 1 | 1 before-each | eviction ever waits | replaced"],
  [hypershift, "cordon node | 1 | 1 before-each | eviction ever waits | replaced"],
  [openshiftMco, "cordon node | 1 | - | eviction ever waits | reboots"],
  [gkeSurge, "cordon node | 1 | 1 before-each | eviction 3600s deletes | replaced"],
  [gkeBlueGreen, "cordon all | 1 | all before-all | eviction 3600s deletes | removed"],
  [gkeHostMaintenance, "cordon+taint node | 1 | - | eviction 3600s stops-machine | reboots"],
  [eksManaged, "cordon all | 1 | 2/zone before-all | eviction 900s fails | replaced"],
  [karpenter, "taint node | 10%up | all between | eviction ever waits | replaced"],
  [karpenterExpiry, "taint node | all | all with-drain | eviction ever waits | replaced"],
  [eksAuto, "taint node | 10%up | all between | eviction 86400s deletes | replaced"],
  [aksUpgrade, "cordon node | 1 | 1 before-all | eviction 1800s reopens | reboots"],
  [aksUpgradeQuarantine, "cordon node | 1 | 1 before-all | eviction 1800s fails | reboots"],
  [clusterApi, "cordon node | 1 | 1 before-each | eviction ever waits | replaced"],
  [clusterAutoscaler, "cordon+taint batch | 1 | - | eviction 120s reopens | removed"],
  [kured, "cordon node | 1 | - | eviction ever waits | reboots"],
  [systemUpgradeController, "cordon node | 1 | - | eviction 600s fails | opens"],
  [talos, "cordon all | all | - | eviction 300s fails | reboots-together"],
  [talosOnNode, "cordon node | all | - | eviction 300s stops-machine | reboots"],
  [medik8sNmo, "cordon+taint node | all | - | eviction ever waits | stays"],
  [kops, "cordon node | 1 | 1 before-each | eviction 900s fails | replaced"],
  [gardener, "cordon node | 1 | 1 before-each | eviction 7200s deletes | replaced"],
  [descheduler, "nothing node | 1 | - | eviction ever waits | opens"],
  [nodePressure, "DiskPressure node | all | - | kubelet ever waits | opens"],
  [gracefulShutdown, "nothing node | all | - | kubelet 30s stops-machine | reboots"],
  [spotReclaimAws, "cordon all | all | - | eviction 120s stops-machine | lost"],
  [spotReclaimGcp, "nothing node | all | - | kubelet 30s stops-machine | lost"],
  [spotReclaimAzure, "nothing node | all | - | nobody 30s stops-machine | lost"],
  [nodeFailure, "nothing node | all | - | nobody 0s stops-machine | off"],
  [zoneLoss, "nothing node | all | - | nobody 0s stops-machine | off"],
  [nebiusRecovery, "cordon node | 1 | - | eviction 3600s stops-machine | reboots"],
  [eksManagedMinimal, "cordon node | 1 | - | eviction 900s fails | replaced"],
  [eksNodeRepair, "cordon node | 1 | - | eviction 900s deletes | replaced"],
  [eksAutoExpiry, "taint node | all | all with-drain | eviction 86400s deletes | replaced"],
  [karpenterRepair, "taint node | 20%up | all with-drain | eviction ever waits | replaced"],
  [karpenterInterruption, "taint node | all | all with-drain | eviction 120s stops-machine | lost"],
  [gkeAutoRepair, "cordon node | 1 | - | eviction 3600s stops-machine | reboots"],
  [aksAutoRepair, "nothing node | 1 | - | nobody 0s stops-machine | reboots"],
  [aksAutoDrain, "cordon+taint node | all | - | eviction 600s stops-machine | reboots"],
  [okeNodeCycling, "cordon node | 1 | 1 before-each | eviction 3600s fails | replaced"],
  [doksUpgrade, "cordon node | 10 | 10 before-each | eviction ever waits | replaced"],
  [lkeRecycle, "cordon node | 1 | - | eviction ever waits | replaced"],
  [iksWorkerUpdate, "cordon node | 20%down | - | eviction 1800s deletes | reboots"],
  [ionosUpgrade, "cordon node | 1 | 1 before-each | eviction 3600s deletes | replaced"],
  [schedulerPreemption, "nothing node | 1 | - | nobody ever waits | opens"],
];

rows(
  "an actor in short",
  inShort,
  told.map(([actor, text]) => [actor.name, actor, text] as const),
);

test("every actor is told of, by its own name", () => {
  assert.deepEqual(told.map(([actor]) => actor.name).sort(), actors.map((actor) => actor.name).sort());
  for (const actor of actors) assert.equal(actorNamed(actor.name), actor);
  assert.equal(new Set(actors.map((actor) => actor.name)).size, actors.length);
});

test("every actor can be played and says where it was read", () => {
  for (const actor of actors) {
    assert.ok(parseDrainFlags(actor.drain.flags).ok, actor.name);
    assert.ok(actor.sources.length > 0, actor.name);
    assert.ok(actor.signals.length > 0 && actor.levers.length > 0, actor.name);
    // A limit that ends in nothing is none; one that ends in something has a time.
    assert.equal(actor.drain.then === "waits", actor.drain.holdsForMs === null, actor.name);
  }
});
