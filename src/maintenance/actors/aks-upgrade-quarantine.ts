import type { Actor } from "../actor.ts";
import { aksUpgrade } from "./aks-upgrade.ts";

/** The same upgrade with undrainableNodeBehavior Cordon: a node that cannot be drained is left closed, and the next one comes. */
export const aksUpgradeQuarantine: Actor = {
  ...aksUpgrade,
  name: "aks-upgrade-quarantine",
  title: "AKS node pool upgrade with quarantine",
  description:
    "As aks-upgrade with undrainableNodeBehavior: Cordon: a node not empty after 30 minutes stays cordoned and is labelled Quarantined, a surge node is kept " +
    "in its place, and the upgrade goes on with the next.",
  drain: { ...aksUpgrade.drain, then: "fails" },
  onNodeFailure: "continues",
  signs: [{ on: "nodeLabel", key: "kubernetes.azure.com/upgrade-status", value: "Quarantined" }],
  signals: [...aksUpgrade.signals, "label kubernetes.azure.com/upgrade-status=Quarantined"],
  notModelled: [
    "maxSurge of the pool is not seen in the cluster: one node, as the how-to has it; the API reference says 10 %",
    "max-blocked-nodes, which limits how many are skipped",
    "the surge node kept for a skipped node: here it leaves at the end",
  ],
};
