import type { Actor } from "../actor.ts";
import { gkeSurge } from "./gke-surge.ts";

/** IONOS rebuilding the nodes of a pool in its weekly maintenance. */
export const ionosUpgrade: Actor = {
  ...gkeSurge,
  name: "ionos-upgrade",
  title: "IONOS node pool upgrade",
  description:
    "Rebuilds the nodes of a pool one by one, the oldest first: a new one joins, the old one is closed and drained under its budgets for at most one hour, what is left is deleted, and the node " +
    "too. Pools of a cluster may be upgraded at the same time.",
  pools: "independent",
  surge: { nodes: 1, when: "before-each", joinMs: 300_000, atEnd: "stay" },
  signs: [
    { on: "nodeLabel", key: "enterprise.cloud.ionos.com/node-id", value: null },
    { on: "nodeLabel", key: "cloud.ionos.com/node-id", value: null },
  ],
  signals: ["a new node, then spec.unschedulable on the oldest one"],
  levers: ["a budget, and a pod's grace, for at most one hour", "the weekly maintenance window"],
  notModelled: ["nodes are taken by age: here in any order, which holds for that one too"],
  sources: [
    { mark: "B", from: "IONOS documentation: upgrade node pools, 2026-11" },
    { mark: "D", from: "the second label, and the time a node takes to boot" },
  ],
};
