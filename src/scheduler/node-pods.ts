import type { PodTemplate } from "../model/pod-template.ts";
import { hasPodAffinity } from "../model/template-content.ts";
import type { NodeView } from "../model/view.ts";

/** The pods of a node, sorted out by what affinity and spread look at. */
export interface NodePods {
  readonly byTemplate: ReadonlyMap<PodTemplate, Alike>;
  /** Templates with required anti-affinity. */
  readonly repelling: readonly PodTemplate[];
  /** Templates with any pod affinity or anti-affinity. */
  readonly withAffinity: readonly PodTemplate[];
}

/** How many there are of one template. */
export interface Alike {
  readonly all: number;
  /** Those that are not terminating. */
  readonly staying: number;
}

/** The last of each node, which holds as long as its pods do. */
const known = new WeakMap<NodeView, { readonly podsGeneration: number; readonly pods: NodePods }>();

export function sortedOut(node: NodeView): NodePods {
  const before = known.get(node);
  const { podsGeneration } = node;
  if (before?.podsGeneration === podsGeneration) return before.pods;
  const pods = sortedNow(node);
  known.set(node, { podsGeneration, pods });
  return pods;
}

/** Without a view of pods that nobody has looked at: there are many more of them than of nodes. */
function sortedNow(node: NodeView): NodePods {
  const byTemplate = new Map<PodTemplate, { all: number; staying: number }>();
  node.tellPods(({ template }, _, isTerminating) => {
    let alike = byTemplate.get(template);
    if (alike === undefined) {
      alike = { all: 0, staying: 0 };
      byTemplate.set(template, alike);
    }
    alike.all += 1;
    if (!isTerminating) alike.staying += 1;
  });
  const templates = [...byTemplate.keys()];
  return {
    byTemplate,
    repelling: templates.filter((template) => template.requiredPodAntiAffinity.length > 0),
    withAffinity: templates.filter(hasPodAffinity),
  };
}
