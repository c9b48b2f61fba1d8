import type { Actor } from "../actor.ts";
import { asksForEver, cordons, hourMs } from "../usual.ts";

/** GKE's blue-green upgrade: a whole second pool, then the whole first one closed and drained in batches. */
export const gkeBlueGreen: Actor = {
  name: "gke-blue-green",
  title: "GKE blue-green upgrade",
  description:
    "Adds a whole new (green) pool of as many nodes, then cordons the whole old (blue) pool, drains it node by node under its budgets for at most one " +
    "hour each, deletes what is left, and deletes the blue pool after a soak of one hour.",
  kind: "maintains",
  close: cordons,
  closeWhen: "all",
  marks: [],
  nodesAtOnce: 1,
  surge: { nodes: "all", when: "before-all", joinMs: 120_000, atEnd: "stay" },
  pools: "in-turn",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, graceMaxMs: 24 * hourMs, holdsForMs: hourMs, then: "deletes" },
  afterDrain: "removed",
  nodeDownMs: 0,
  onNodeFailure: "continues",
  signs: [],
  signals: ["as many new nodes as the pool has, then spec.unschedulable on every old one"],
  levers: [
    "a budget holds a node for at most one hour; a grace of up to 24 h is honoured",
    "the upgrade can be rolled back while it soaks",
  ],
  changed: [{ what: "autoscaled blue-green", from: "not available", to: "available", at: "1.34.0-gke.2201000" }],
  notModelled: [
    "the soak: a drained blue node is removed at once",
    "the size of a batch is the pool's to set and not seen in the cluster: one node at a time",
    "a stockout that leaves the green pool short",
  ],
  sources: [
    { mark: "B", from: "GKE documentation: node pool upgrade strategies, 2026-08" },
    { mark: "C", from: "the same, on cordoning the blue pool and on the soak" },
  ],
};
