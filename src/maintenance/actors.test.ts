import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../test/support/rows.ts";
import { parseDrainFlags } from "../eviction/drain-flags.ts";
import type { Actor } from "./actor.ts";
import { aksUpgrade } from "./actors/aks-upgrade.ts";
import { aksUpgradeQuarantine } from "./actors/aks-upgrade-quarantine.ts";
import { clusterApi } from "./actors/cluster-api.ts";
import { clusterAutoscaler } from "./actors/cluster-autoscaler.ts";
import { descheduler } from "./actors/descheduler.ts";
import { eksAuto } from "./actors/eks-auto.ts";
import { eksManaged } from "./actors/eks-managed.ts";
import { gardener } from "./actors/gardener.ts";
import { gkeBlueGreen } from "./actors/gke-blue-green.ts";
import { gkeHostMaintenance } from "./actors/gke-host-maintenance.ts";
import { gkeSurge } from "./actors/gke-surge.ts";
import { gracefulShutdown } from "./actors/graceful-shutdown.ts";
import { hypershift } from "./actors/hypershift.ts";
import { karpenter } from "./actors/karpenter.ts";
import { karpenterExpiry } from "./actors/karpenter-expiry.ts";
import { kops } from "./actors/kops.ts";
import { kubectlDrain } from "./actors/kubectl-drain.ts";
import { kubectlDrainInTurn } from "./actors/kubectl-drain-in-turn.ts";
import { kured } from "./actors/kured.ts";
import { medik8sNmo } from "./actors/medik8s-nmo.ts";
import { nebius } from "./actors/nebius.ts";
import { nebiusByBatch } from "./actors/nebius-by-batch.ts";
import { nebiusRollout } from "./actors/nebius-rollout.ts";
import { nebiusRolloutBefore2026Q3 } from "./actors/nebius-rollout-before-2026-q3.ts";
import { nodeFailure } from "./actors/node-failure.ts";
import { nodePressure } from "./actors/node-pressure.ts";
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
// budget holds and what follows, what a node comes back as.
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
  [talos, "cordon all | all | - | eviction 300s fails | reboots"],
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

rows("grace", ({ drain }: Actor) => [drain.graceMaxMs, drain.graceSetMs, drain.deleteGraceMs], [
  ["cluster-autoscaler caps it at 600 s", clusterAutoscaler, [600_000, null, null]],
  ["a Talos node gives 60 s whatever the pod asks for", talosOnNode, [null, 60_000, null]],
  ["Gardener deletes without any after its limit", gardener, [null, null, 0]],
  ["GKE surge honours an hour", gkeSurge, [3_600_000, null, null]],
  ["GKE blue-green honours a day", gkeBlueGreen, [86_400_000, null, null]],
  ["kubectl gives the pod's own", kubectlDrain, [null, null, null]],
]);

rows("pause between tries of a refused eviction, ms", ({ drain }: Actor) => drain.retryMs, [
  ["kubectl", kubectlDrain, 5_000],
  ["kured does not pause", kured, 0],
  ["talosctl does not pause", talos, 0],
  ["a Talos node pauses", talosOnNode, 5_000],
  ["Cluster API", clusterApi, 20_000],
  ["Gardener", gardener, 20_000],
  ["cluster-autoscaler", clusterAutoscaler, 10_000],
]);
