import type { Actor } from "../actor.ts";
import { asksForEver, cordons, hourMs } from "../usual.ts";

/** Oracle Kubernetes Engine cycling the nodes of a pool. */
export const okeNodeCycling: Actor = {
  name: "oke-node-cycling",
  title: "OKE node cycling",
  description:
    "Replaces the nodes of a pool: a new one joins first (maxSurge 1, maxUnavailable 0), then an old one is cordoned and drained for at most one hour. A node that is not empty then is kept " +
    "and the cycling fails there, unless the pool forces it.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: 1,
  surge: { nodes: 1, when: "before-each", joinMs: 300_000, atEnd: "stay" },
  pools: "independent",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, holdsForMs: hourMs, then: "fails" },
  afterDrain: "replaced",
  nodeDownMs: 300_000,
  onNodeFailure: "stops",
  signs: [{ on: "nodeAnnotation", key: "oci.oraclecloud.com/node-pool-id" }],
  signals: [
    "annotation cluster-autoscaler.kubernetes.io/scale-down-disabled=true on the nodes of the pool",
    "a new node, then spec.unschedulable on an old one",
  ],
  levers: ["a budget, for the pool's eviction grace period (60 minutes at most and by default)"],
  changed: [],
  notModelled: [
    "maxSurge, maxUnavailable, the eviction grace period and whether it forces are the pool's and not seen in the cluster",
    "boot volumes replaced in place, and basic clusters or bare metal, where nodes are replaced by hand",
  ],
  sources: [
    {
      mark: "B",
      from: "OKE API, NodeEvictionNodePoolSettings; OKE documentation and Terraform module, node cycling, 2026-11",
    },
    { mark: "D", from: "that the node stays closed when the time is over, and the time a node takes to boot" },
  ],
};
