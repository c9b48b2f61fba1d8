import type { Actor } from "../actor.ts";
import { asksForEver, cordons, minuteMs, stopsUnasked } from "../usual.ts";

/** A spot machine taken back by AWS: two minutes of notice, in which a termination handler cordons and drains. */
export const spotReclaimAws: Actor = {
  name: "spot-reclaim-aws",
  title: "Spot reclaim, AWS",
  description:
    "AWS takes a spot machine back with two minutes of notice. A termination handler (or a managed node group) cordons and drains it in that time; then " +
    "the machine is gone with whatever is left on it.",
  kind: "sudden",
  close: cordons,
  closeWhen: "all",
  marks: [],
  nodesAtOnce: "all",
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, holdsForMs: 2 * minuteMs, then: stopsUnasked.then },
  afterDrain: "lost",
  nodeDownMs: minuteMs,
  onNodeFailure: "continues",
  signs: [
    { on: "workloadImage", kind: "DaemonSet", image: "aws-node-termination-handler" },
    { on: "workloadImage", kind: "Deployment", image: "aws-node-termination-handler" },
    { on: "nodeLabel", key: "eks.amazonaws.com/capacityType", value: "SPOT" },
    { on: "nodeLabel", key: "node.kubernetes.io/lifecycle", value: "spot" },
  ],
  signals: ["spec.unschedulable by the handler; a rebalance recommendation may come earlier"],
  levers: ["none: a budget only makes the drain lose the race against the power"],
  changed: [],
  notModelled: [
    "without a handler nobody drains: node-failure plays that",
    "a new machine in its place: none comes here",
  ],
  sources: [
    { mark: "B", from: "EC2 user guide, spot interruption notices" },
    { mark: "A", from: "aws-node-termination-handler v0.30.4" },
  ],
};
