import { repelled } from "../../model/taints.ts";
import { checkNodes, type Filter, pass, perNode, rejectForGood } from "../framework.ts";

const messages = { untolerated: "node(s) had untolerated taint(s)" } as const;
const rejected = rejectForGood(messages.untolerated);

/**
 * NoSchedule and NoExecute taints keep pods away that do not tolerate them.
 * Mirrors: plugins/tainttoleration Filter, Kubernetes 1.34 to 1.37.
 */
export const taintToleration = {
  name: "TaintToleration",
  messages,
  prepare({ pod }) {
    const { tolerations } = pod.template;
    return checkNodes(perNode((node) => (repelled(node.taints, tolerations) ? rejected : pass)));
  },
} satisfies Filter & { messages: unknown };
