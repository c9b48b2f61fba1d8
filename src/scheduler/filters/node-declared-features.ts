import { checkNodes, type Filter, pass, perNode, rejectForGood, skip } from "../framework.ts";

const messages = { missing: "node(s) didn't match Pod's required features" } as const;
const rejected = rejectForGood(messages.missing);

/**
 * A pod that uses a feature some kubelets lack goes only to nodes that declare it. On by default from 1.36 on; the registry
 * leaves it out before. It is the last filter of the profile.
 * Mirrors: plugins/nodedeclaredfeatures and component-helpers nodedeclaredfeatures, Kubernetes 1.36 and 1.37.
 */
export const nodeDeclaredFeatures = {
  name: "NodeDeclaredFeatures",
  messages,
  prepare({ pod, minor }) {
    const needed = pod.template.neededFeatures.filter((f) => minor >= 37 || f !== "VolumeBindMountOptions");
    if (needed.length === 0) return skip;
    return checkNodes(
      perNode(({ node }) => (needed.every((f) => node.declaredFeatures.includes(f)) ? pass : rejected)),
    );
  },
} satisfies Filter & { messages: unknown };
