import type { Actor } from "../actor.ts";
import { asksForEver, cordons, minuteMs } from "../usual.ts";

/** An update of an EKS managed node group: new nodes first, all old nodes closed, 15 minutes a node, then it fails. */
export const eksManaged: Actor = {
  name: "eks-managed",
  title: "EKS managed node group update",
  description:
    "Adds new nodes (two for each zone, at least as many as may be unavailable), marks every old node unschedulable, then drains old ones one at a time, in " +
    "no stated order. A node that is not empty after 15 minutes fails the whole update: nothing is deleted unless the update is forced.",
  kind: "maintains",
  close: cordons,
  closeWhen: "all",
  marks: [],
  nodesAtOnce: 1,
  surge: { nodes: { perZone: 2, least: 1 }, when: "before-all", joinMs: 180_000, atEnd: "leave" },
  pools: "independent",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, holdsForMs: 15 * minuteMs, then: "fails" },
  afterDrain: "replaced",
  // A minute of waiting before the machine goes, and a boot.
  nodeDownMs: 240_000,
  onNodeFailure: "stops",
  signs: [{ on: "nodeLabel", key: "eks.amazonaws.com/nodegroup", value: null }],
  signals: [
    "new nodes of the group, then spec.unschedulable on every old one",
    "label node.kubernetes.io/exclude-from-external-load-balancers on old nodes",
    "taint eks.amazonaws.com/nodegroup=unschedulable:NoSchedule (older documentation)",
  ],
  levers: ["a budget, for 15 minutes; then the update fails (PodEvictionFailure)"],
  changed: [],
  notModelled: [
    "a forced update, which deletes what is left after 15 minutes",
    "strategy MINIMAL, which takes the old node out first",
    "whether old nodes stay unschedulable after a failure is not stated: they do here",
    "which nodes leave when the group shrinks again: here the ones that came first",
  ],
  sources: [
    {
      mark: "B",
      from: "EKS user guide, managed node update behavior, awsdocs/amazon-eks-user-guide 2024-12-18 and today's page",
    },
    { mark: "D", from: "DaemonSet, bare and emptyDir pods are taken as kubectl with all flags takes them" },
  ],
};
