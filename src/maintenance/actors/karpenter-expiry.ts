import type { Actor } from "../actor.ts";
import { karpenter } from "./karpenter.ts";

/** Karpenter's forceful disruption: a node that reached expireAfter is drained without a replacement first and without a budget. */
export const karpenterExpiry: Actor = {
  ...karpenter,
  name: "karpenter-expiry",
  title: "Karpenter, expiry",
  description:
    "Drains a node that reached expireAfter (720 h by default), however many others there are at the same time: no replacement first, no disruption budget. " +
    "A new node is only ordered for the pods of the old one, so they wait for it to boot. Pods marked do-not-disrupt hold the drain.",
  nodesAtOnce: "all",
  surge: { nodes: "all", when: "with-drain", joinMs: 180_000, atEnd: "stay" },
  pools: "together",
  usesUp: [],
  passesOver: [],
  signs: [],
  signals: ["taint karpenter.sh/disrupted:NoSchedule on a node as old as expireAfter"],
  levers: [
    "karpenter.sh/do-not-disrupt on a pod; on the node it does not help",
    "a PodDisruptionBudget, for ever, or until terminationGracePeriod",
  ],
  notModelled: [
    "nodes expire when each is old enough: here all named ones at once",
    "the new nodes may have another shape",
  ],
};
