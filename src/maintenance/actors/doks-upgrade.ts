import type { Actor } from "../actor.ts";
import { asksForEver, cordons } from "../usual.ts";

/** DigitalOcean Kubernetes upgrading its node pools. */
export const doksUpgrade: Actor = {
  name: "doks-upgrade",
  title: "DigitalOcean Kubernetes upgrade",
  description:
    "Replaces the nodes of one pool after the other. With surge upgrades, the default of new clusters, up to ten new nodes join first; then as many old ones are drained and deleted.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: 10,
  surge: { nodes: 10, when: "before-each", joinMs: 180_000, atEnd: "stay" },
  pools: "in-turn",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: asksForEver,
  afterDrain: "replaced",
  nodeDownMs: 180_000,
  onNodeFailure: "continues",
  signs: [{ on: "nodeLabel", key: "doks.digitalocean.com/node-pool", value: null }],
  signals: ["new nodes of the pool, then spec.unschedulable on old ones"],
  levers: ["the cluster's maintenance window, for automatic upgrades of patches", "a budget"],
  changed: [],
  notModelled: [
    "how long a budget holds a drain is not documented: for ever here",
    "clusters without surge upgrades, where each node is drained and then replaced",
  ],
  sources: [
    { mark: "B", from: "DigitalOcean documentation: how to upgrade clusters, surge upgrades, 2026-11" },
    { mark: "D", from: "how pods are taken, and the time a node takes to boot" },
  ],
};
