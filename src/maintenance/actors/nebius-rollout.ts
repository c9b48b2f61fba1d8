import type { Actor } from "../actor.ts";
import { asksForEver, cordons, minuteMs } from "../usual.ts";

/** A rollout of a Nebius node group with the defaults since Q3 2026: old node out first, 10 minutes, then deletion. */
export const nebiusRollout: Actor = {
  name: "nebius-rollout",
  title: "Nebius node-group rollout",
  description:
    "Upgrade or template change of a node group with today's defaults: no new node first (max_surge 0, max_unavailable 1); each node is cordoned and " +
    "drained for at most 10 minutes, then its pods are deleted and a new node of another name takes its place.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: 1,
  surge: null,
  pools: "independent",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, holdsForMs: 10 * minuteMs, then: "deletes" },
  afterDrain: "replaced",
  nodeDownMs: 210_000,
  onNodeFailure: "continues",
  signs: [],
  signals: ["spec.unschedulable on one node after the other"],
  levers: ["a budget holds a drain for drain_timeout at most; the node group's strategy is the owner's to set"],
  changed: [
    { what: "max_unavailable", from: "0", to: "1", at: "Q3 2026, new clusters first" },
    { what: "max_surge", from: "1", to: "0", at: "Q3 2026, new clusters first" },
    {
      what: "drain_timeout",
      from: "unlimited",
      to: "10 min, then pods are deleted",
      at: "Q3 2026, new clusters first",
    },
  ],
  notModelled: ["the order within a node group and the time to a new node are not documented"],
  sources: [{ mark: "A", from: "nebius/api nebius/mk8s/v1/node_group.proto, 2026-08-19" }],
};
