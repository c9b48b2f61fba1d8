import type { Cluster } from "../model/cluster.ts";
import type { Actor } from "./actor.ts";
import { aksUpgrade } from "./actors/aks-upgrade.ts";
import { aksUpgradeQuarantine } from "./actors/aks-upgrade-quarantine.ts";
import { clusterApi } from "./actors/cluster-api.ts";
import { eksAuto } from "./actors/eks-auto.ts";
import { eksAutoExpiry } from "./actors/eks-auto-expiry.ts";
import { eksManagedMinimal } from "./actors/eks-managed-minimal.ts";
import { gkeBlueGreen } from "./actors/gke-blue-green.ts";
import { hypershift } from "./actors/hypershift.ts";
import { iksWorkerUpdate } from "./actors/iks-worker-update.ts";
import { karpenter } from "./actors/karpenter.ts";
import { karpenterExpiry } from "./actors/karpenter-expiry.ts";
import { kubectlDrain } from "./actors/kubectl-drain.ts";
import { kubectlDrainInTurn } from "./actors/kubectl-drain-in-turn.ts";
import { nebiusRollout } from "./actors/nebius-rollout.ts";
import { openshiftMco } from "./actors/openshift-mco.ts";
import { talosOnNode } from "./actors/talos-on-node.ts";
import type { Pool } from "./pool.ts";
import { recogniseActors } from "./recognise.ts";

/** Who may take the nodes of a pool away, as the cluster sets each. */
export interface LikelyActors {
  /** Named, or with a sign of its own on the pool; a person, node by node, where there is none. The likeliest first. Never empty. */
  readonly sure: readonly Actor[];
  /** Works on such nodes too, without a sign that it does: other ways of the same provider, spot reclaims, a person. */
  readonly possible: readonly Actor[];
}

/** Whose sign is on every node of another's; the other is not there then. */
const insteadOf: ReadonlyMap<string, readonly Actor[]> = new Map([
  [aksUpgradeQuarantine.name, [aksUpgrade]],
  [eksAuto.name, [karpenter]],
  [iksWorkerUpdate.name, [openshiftMco]],
  [hypershift.name, [openshiftMco, clusterApi]],
]);

/** Another way in which the same hand takes nodes, which nothing in a cluster tells apart beforehand. */
const otherWays: ReadonlyMap<string, readonly Actor[]> = new Map([
  ["gke-surge", [gkeBlueGreen]],
  ["nebius", [nebiusRollout]],
  ["karpenter", [karpenterExpiry]],
  ["eks-auto", [eksAutoExpiry]],
  ["eks-managed", [eksManagedMinimal]],
  ["aks-upgrade", [aksUpgradeQuarantine]],
  ["talos", [talosOnNode]],
]);

export function likelyActors(cluster: Cluster, pool: Pool, named: readonly Actor[]): LikelyActors {
  if (named.length > 0) return { sure: named, possible: [] };
  const found = recogniseActors({ ...cluster, nodes: pool.nodes }).map(({ actor }) => actor);
  const replaced = new Set(found.flatMap(({ name }) => (insteadOf.get(name) ?? []).map((other) => other.name)));
  const here = found.filter(({ name }) => !replaced.has(name));
  const sure = here.filter(({ kind }) => kind === "maintains").map(inTurn);
  const isNew = ({ name }: Actor): boolean => sure.every((other) => other.name !== name);
  // The descheduler takes single pods, and no node.
  const takesNodes = here.filter(
    ({ kind, close }) => kind !== "maintains" && (kind === "sudden" || close.cordon || close.taints.length > 0),
  );
  const ways = sure.flatMap(({ name }) => otherWays.get(name) ?? []);
  return { sure, possible: [...ways, ...takesNodes, kubectlDrainInTurn].filter(isNew) };
}

/** Nobody asked for the whole pool in one command: what a person does then is `cordon-all`, which is never part of a verdict. */
function inTurn(actor: Actor): Actor {
  return actor === kubectlDrain ? kubectlDrainInTurn : actor;
}
