import type { Actor } from "../actor.ts";
import { closesNothing, stopsUnasked } from "../usual.ts";

/** A machine that is off from one moment to the next. Mirrors kubernetes v1.36.3 nodelifecycle, tainteviction, podgc. */
export const nodeFailure: Actor = {
  name: "node-failure",
  title: "Node failure",
  description:
    "The machine is off at once and stays off. After 50 s the node is not Ready and leaves every Service; its pods tolerate that for 300 s, then they are deleted, no " +
    "budget asked, and made again elsewhere: about 350 s. StatefulSet pods wait until the Node object is deleted. " +
    "So does a pod whose disk one machine at a time can have, as the old pod keeps it there; then it is taken away after 6 min, or at once where the node is marked out of service. " +
    "Of several nodes one of a zone is given up in 10 s; with 55 % of a zone gone (at least 3) none in one of up to 50 nodes, else one in 100 s.",
  kind: "sudden",
  close: closesNothing,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: "all",
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: stopsUnasked,
  afterDrain: "off",
  nodeDownMs: 0,
  onNodeFailure: "continues",
  signs: [],
  signals: [
    "taints node.kubernetes.io/unreachable or node.kubernetes.io/not-ready, NoSchedule and NoExecute",
    "pod condition DisruptionTarget with reason DeletionByTaintManager",
  ],
  levers: [
    "none; taint node.kubernetes.io/out-of-service:NoExecute, or deleting the Node, frees StatefulSet pods and volumes",
    "tolerationSeconds of the pods for the two taints: less than 300 s brings replacements sooner",
  ],
  changed: [
    { what: "time without a heartbeat until a node is not Ready", from: "40 s", to: "50 s", at: "Kubernetes 1.32" },
  ],
  notModelled: [],
  sources: [
    {
      mark: "A",
      from: "kubernetes v1.36.3 pkg/controller/{nodelifecycle,tainteviction,podgc}, plugin/pkg/admission/defaulttolerationseconds",
    },
  ],
};
