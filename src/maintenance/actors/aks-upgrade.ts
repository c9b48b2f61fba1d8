import type { Actor } from "../actor.ts";
import { asksForEver, cordons, minuteMs } from "../usual.ts";

/** An upgrade of an AKS node pool: a surge node first, 30 minutes a node, then the operation fails. */
export const aksUpgrade: Actor = {
  name: "aks-upgrade",
  title: "AKS node pool upgrade",
  description:
    "Adds a surge node, then cordons, drains and reimages the old ones, as many at once as there are surge nodes; the last surge node is drained and removed " +
    "at the end. A node not empty after 30 minutes is made schedulable again and fails the operation.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: 1,
  surge: { nodes: 1, when: "before-all", joinMs: 180_000, atEnd: "leave" },
  pools: "in-turn",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, holdsForMs: 30 * minuteMs, then: "reopens" },
  afterDrain: "reboots",
  nodeDownMs: 300_000,
  onNodeFailure: "stops",
  signs: [{ on: "nodeLabel", key: "kubernetes.azure.com/agentpool", value: null }],
  signals: [
    "spec.unschedulable; node events Surge, Drain, Upgrade",
    "annotation cluster-autoscaler.kubernetes.io/scale-down-disabled=true with a reason",
  ],
  levers: [
    "a budget, for drainTimeoutInMinutes (30, 5 min to 24 h)",
    "planned maintenance windows, best effort",
    "undrainableNodeBehavior Cordon skips the node instead: aks-upgrade-quarantine",
  ],
  changed: [{ what: "a surge that quota does not allow", from: "fails", to: "falls back to one node", at: "AKS 1.35" }],
  notModelled: [
    "maxSurge of the pool is not seen in the cluster: one node, as the how-to has it; the API reference says 10 %",
    "undrainableNodeBehavior Schedule as the how-to has it, where the blocked node is replaced by the surge node",
    "a forced upgrade, which asks no budget",
    "what becomes of the surge node after a failure: it stays here",
  ],
  sources: [
    { mark: "B", from: "MicrosoftDocs/azure-aks-docs upgrade-aks-node-pools-rolling, upgrade-options, 2026-08-21" },
    { mark: "D", from: "DaemonSet, bare and emptyDir pods are taken as kubectl with all flags takes them" },
  ],
};
