import type { Actor } from "../actor.ts";
import { gkeSurge } from "./gke-surge.ts";

/** GKE repairing a node that has been unhealthy for long: drained like in an upgrade, but with no new node first. */
export const gkeAutoRepair: Actor = {
  ...gkeSurge,
  name: "gke-auto-repair",
  title: "GKE node auto-repair",
  description:
    "Makes a node again that has been not Ready or silent for about 10 minutes, or out of disk for about 30: drains it for at most one hour, then shuts it down whatever is left, " +
    "and creates it anew under the same name. Several may be repaired at once in a large cluster.",
  kind: "removes",
  surge: null,
  pools: "together",
  drain: { ...gkeSurge.drain, then: "stops-machine" },
  afterDrain: "reboots",
  nodeDownMs: 180_000,
  signs: [],
  signals: ["a node not Ready for about 10 minutes; the operation AUTO_REPAIR_NODES"],
  levers: ["a budget, for at most one hour; no window or exclusion"],
  notModelled: [
    "the health of nodes: every one named is repaired, as if its kubelet still worked",
    "a host error, which has no graceful phase: node-failure plays that",
    "how many at once is not stated: one",
  ],
  sources: [
    { mark: "B", from: "GKE documentation: auto-repair nodes, 2026-11" },
    { mark: "D", from: "the time until the node is back: 3 minutes here" },
  ],
};
