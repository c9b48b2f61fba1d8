import { checkNodes, type Filter, pass, perNode, rejectForGood } from "../framework.ts";

const messages = { otherName: "node(s) didn't match the requested node name" } as const;
const rejected = rejectForGood(messages.otherName);

/**
 * spec.nodeName names the only node. From 1.37 on PreFilter already leaves only that node, so other nodes are not looked at.
 * Mirrors: plugins/nodename, Kubernetes 1.34 to 1.37.
 */
export const nodeName = {
  name: "NodeName",
  messages,
  prepare({ pod, minor }) {
    const wanted = pod.template.nodeName;
    const only = wanted !== "" && minor >= 37 ? new Set([wanted]) : null;
    const check = perNode((node) => (wanted === "" || wanted === node.name ? pass : rejected));
    return checkNodes(check, only);
  },
} satisfies Filter & { messages: unknown };
