import type { Cluster } from "../model/cluster.ts";
import type { Actor } from "./actor.ts";
import type { Pool } from "./pool.ts";
import { autoscalerFlags } from "./settings/autoscaler-flags.ts";
import { kopsProvider } from "./settings/kops-provider.ts";
import { kuredFlags } from "./settings/kured-flags.ts";
import { machine } from "./settings/machine.ts";
import { machineConfigPool } from "./settings/machine-config-pool.ts";
import { nebiusNodeGroup } from "./settings/nebius-node-group.ts";
import { nodePool } from "./settings/node-pool.ts";
import type { Setting, SettingReader } from "./settings/setting.ts";
import { upgradePlan } from "./settings/upgrade-plan.ts";

/** Actor → where the cluster says how it is set. */
const readers: ReadonlyMap<string, SettingReader> = new Map([
  ["openshift-mco", machineConfigPool],
  ["karpenter", nodePool],
  ["karpenter-expiry", nodePool],
  ["eks-auto", nodePool],
  ["eks-auto-expiry", nodePool],
  ["kured", kuredFlags],
  ["cluster-autoscaler", autoscalerFlags],
  ["cluster-api", machine],
  ["kops", kopsProvider],
  ["system-upgrade-controller", upgradePlan],
  ["nebius-by-batch", nebiusNodeGroup],
  ["nebius-rollout", nebiusNodeGroup],
  ["nebius-rollout-before-2026-q3", nebiusNodeGroup],
]);

/** The actor as this cluster sets it for this pool. */
export function settingOf(cluster: Cluster, pool: Pool, actor: Actor): Setting {
  if (actor.kind === "information") return { actor, said: [], held: `${actor.name} drains no node` };
  return readers.get(actor.name)?.(cluster, pool, actor) ?? { actor, said: [], held: "" };
}
