import type { Actor } from "../actor.ts";
import { asksForEver, cordons, hourMs } from "../usual.ts";

/** GKE's default node-pool upgrade: a new node first, drain for at most an hour, then deletion. */
export const gkeSurge: Actor = {
  name: "gke-surge",
  title: "GKE surge upgrade",
  description:
    "Upgrades a node pool by new nodes: one more joins (maxSurge 1, maxUnavailable 0), then an old one is cordoned, drained under its budgets for at most " +
    "one hour, emptied by deletion after that, and removed. Pools come one after the other.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: 1,
  surge: { nodes: 1, when: "before-each", joinMs: 120_000, atEnd: "stay" },
  pools: "in-turn",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, graceMaxMs: hourMs, holdsForMs: hourMs, then: "deletes" },
  afterDrain: "replaced",
  nodeDownMs: 120_000,
  onNodeFailure: "continues",
  signs: [{ on: "nodeLabel", key: "cloud.google.com/gke-nodepool", value: null }],
  signals: ["spec.unschedulable on one node after the other", "metric node_interruption_count"],
  levers: [
    "a budget holds a node for at most one hour, or what the pool's node drain settings say",
    "maintenance windows and exclusions hold automatic upgrades; a started one may overrun",
  ],
  changed: [],
  notModelled: [
    "maxSurge and maxUnavailable of the pool are not seen in the cluster: pools of GPUs with a fixed reservation use 0 and 1, old node out first",
    "TPU slices are recreated as a whole",
    "the order of nodes and of pools is not defined; pools are played by name",
  ],
  sources: [
    { mark: "B", from: "GKE documentation: node pool upgrade strategies, 2026-08" },
    { mark: "B", from: "google/skills cloud/gke-upgrades, 2026-08-21" },
  ],
};
