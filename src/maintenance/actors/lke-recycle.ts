import type { Actor } from "../actor.ts";
import { asksForEver, cordons } from "../usual.ts";

/** Linode Kubernetes Engine recycling nodes, which is how they come to a new version. */
export const lkeRecycle: Actor = {
  name: "lke-recycle",
  title: "LKE recycle",
  description:
    "Deletes and replaces nodes on a rolling basis: one is cordoned, drained and deleted, and a new one takes its place before the next goes. No new node comes first.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: 1,
  surge: null,
  pools: "in-turn",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: asksForEver,
  afterDrain: "replaced",
  nodeDownMs: 300_000,
  onNodeFailure: "continues",
  signs: [{ on: "nodeLabel", key: "lke.linode.com/pool-id", value: null }],
  signals: ["spec.unschedulable on one node after the other"],
  levers: ["a budget", "recycling single nodes at a time of one's own"],
  changed: [],
  notModelled: [
    "how long a budget holds a drain is not documented: for ever here",
    "rolling updates of LKE Enterprise, which may bring new nodes first",
  ],
  sources: [
    { mark: "B", from: "Linode API: recycle cluster nodes, on a rolling basis, 2026-11" },
    { mark: "D", from: "that a node is drained, how pods are taken, and the time a node takes to boot" },
  ],
};
