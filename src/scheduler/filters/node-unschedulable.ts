import type { Taint } from "../../model/pod-template.ts";
import { toleratesAny } from "../../model/taints.ts";
import { checkNodes, type Filter, pass, perNode, rejectForGood } from "../framework.ts";

const messages = { unschedulable: "node(s) were unschedulable" } as const;
/** By tolerating it a pod says that it may go to a cordoned node. */
export const cordon: Taint = { key: "node.kubernetes.io/unschedulable", value: "", effect: "NoSchedule" };
const rejected = rejectForGood(messages.unschedulable);

/**
 * A cordoned node takes only pods that tolerate the cordon taint. It reads the field, not the taint: the two differ for
 * the moment the node controller needs after a cordon or uncordon.
 * Mirrors: plugins/nodeunschedulable, Kubernetes 1.34 to 1.37.
 */
export const nodeUnschedulable = {
  name: "NodeUnschedulable",
  messages,
  prepare({ pod }) {
    const tolerated = toleratesAny(pod.template.tolerations, cordon);
    return checkNodes(perNode((node) => (node.unschedulable && !tolerated ? rejected : pass)));
  },
} satisfies Filter & { messages: unknown };
