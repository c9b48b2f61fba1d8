import { byCodeUnit } from "../../base/ordering.ts";
import { findingRule, labelOf, namesOf } from "../finding-rule.ts";
import { few } from "../knob-text.ts";
import { heldTogether, type Stop } from "../scene.ts";

/** Pods of the path on a machine that does not answer. Mirrors: kubectl pkg/drain waitForDelete, pkg/controller/podgc, 1.36. */
export const lostNode = findingRule({
  name: "lost-node",
  code: "HF038",
  title: "A node that is not Ready, with pods of the path",
  explain: `The kubelet of the node does not answer, so nobody confirms that a pod there has stopped: told to go, it stays Terminating. A Deployment makes another one elsewhere after the five minutes that pods tolerate; a StatefulSet makes none while the name is taken. A drain of the node waits for such pods, with kubectl for ever, and a budget counts them as not healthy until their replacements are.

Bring the machine back. If it is gone for good, delete its Node object (kubectl delete node), or taint it node.kubernetes.io/out-of-service: then its pods are collected, volumes are let go, and there is nothing left to drain.

It is an error where a likely maintenance stalls on a part with a pod there, else a warning.`,
  messages: {
    onLostNode: (f: { node: string; parts: string; pods: string }) => ({
      message: `Node ${f.node} is not Ready and has ${f.pods} of ${f.parts}: nobody confirms that a pod there has stopped, so a drain of this node waits for it.`,
      remedy: `Bring ${f.node} back before a maintenance; if the machine is gone, delete its Node object or taint it node.kubernetes.io/out-of-service.`,
    }),
  },
  look: ({ stops, helpers }, say) => {
    const found = [...stops, ...helpers].flatMap((stop) => lostPodsOf(stop).map((pod) => ({ stop, ...pod })));
    const byNode = [...Map.groupBy(found, ({ node }) => node)].sort(([a], [b]) => byCodeUnit(a, b));
    return byNode.map(([node, lost]) => {
      const parts = [...new Set(lost.map(({ stop }) => stop))];
      const { severity, lines } = heldTogether(parts);
      const about = { severity, evidence: [...(parts.length > 1 ? parts.map(labelOf) : []), ...lines] };
      return say.ofAll(parts, about, "onLostNode", {
        node,
        parts: namesOf(parts),
        pods: few(lost.map(({ key }) => key)),
      });
    });
  },
});

/** DaemonSet pods no drain waits for. */
function lostPodsOf({ pods, workload }: Stop): readonly { readonly key: string; readonly node: string }[] {
  if (workload?.kind === "DaemonSet") return [];
  return pods.flatMap(({ key, node }) => (node?.ready === false ? [{ key, node: node.name }] : []));
}
