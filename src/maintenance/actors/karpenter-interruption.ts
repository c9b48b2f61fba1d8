import type { Actor } from "../actor.ts";
import { minuteMs } from "../usual.ts";
import { karpenterExpiry } from "./karpenter-expiry.ts";

/** A spot machine taken back under Karpenter, which hears of it and drains: two minutes, a new node ordered meanwhile. */
export const karpenterInterruption: Actor = {
  ...karpenterExpiry,
  name: "karpenter-interruption",
  title: "Karpenter, spot interruption",
  description:
    "AWS takes a spot machine back with two minutes of notice; Karpenter taints and drains it at once and a new node is ordered for its pods. What is left after two minutes is " +
    "gone with the machine.",
  kind: "sudden",
  drain: { ...karpenterExpiry.drain, holdsForMs: 2 * minuteMs, then: "stops-machine" },
  afterDrain: "lost",
  nodeDownMs: minuteMs,
  signs: [{ on: "nodeLabel", key: "karpenter.sh/capacity-type", value: "spot" }],
  signals: ["taint karpenter.sh/disrupted:NoSchedule; an interruption event in the account's queue"],
  levers: ["none: a budget only makes the drain lose the race against the power"],
  notModelled: [
    "a Karpenter without an interruption queue, which does not hear of it: node-failure plays that",
    "the new nodes may have another shape, or there may be none of it",
  ],
  sources: [
    { mark: "B", from: "EC2 user guide, spot interruption notices; Karpenter documentation, interruption" },
    ...karpenterExpiry.sources,
  ],
};
