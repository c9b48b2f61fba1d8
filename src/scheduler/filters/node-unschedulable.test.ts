import { rows } from "../../../test/support/rows.ts";
import { incoming, node, verdicts } from "../../../test/support/scheduling.ts";

// Read from plugins/nodeunschedulable/node_unschedulable.go, Kubernetes 1.36.3.
const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

rows("NodeUnschedulable", verdicts, [
  [
    "a cordoned node takes no pod, even before the taint is there",
    { objects: [node("a", { unschedulable: true }), node("b"), incoming()] },
    { a: "for good, NodeUnschedulable: node(s) were unschedulable", b: "pass" },
  ],
  [
    "a pod that tolerates the cordon taint may go there",
    {
      objects: [
        node("a", { unschedulable: true, taints: [cordon] }),
        incoming({ spec: { tolerations: [{ ...cordon, operator: "Exists" }] } }),
      ],
    },
    { a: "pass" },
  ],
  [
    "a toleration of another effect is none",
    {
      objects: [
        node("a", { unschedulable: true }),
        incoming({ spec: { tolerations: [{ ...cordon, operator: "Exists", effect: "NoExecute" }] } }),
      ],
    },
    { a: "for good, NodeUnschedulable: node(s) were unschedulable" },
  ],
  [
    "after an uncordon the taint stays a moment, and TaintToleration speaks",
    { objects: [node("a", { taints: [cordon] }), incoming()] },
    { a: "for good, TaintToleration: node(s) had untolerated taint(s)" },
  ],
]);
