import { matchesRequiredNodeAffinity } from "../../model/node-selector.ts";
import type { NodeSelectorTerm } from "../../model/pod-template.ts";
import { checkNodes, type Filter, pass, perNode, rejectAll, rejectForGood, skip } from "../framework.ts";

const messages = {
  noMatch: "node(s) didn't match Pod's node affinity/selector",
  conflict: "pod affinity terms conflict",
} as const;
const rejected = rejectForGood(messages.noMatch);

/**
 * nodeSelector and required node affinity. When every term names nodes (matchFields metadata.name), only those are looked
 * at: a DaemonSet's pod is checked on its node alone.
 * Mirrors: plugins/nodeaffinity PreFilter and Filter, Kubernetes 1.34 to 1.37.
 */
export const nodeAffinity = {
  name: "NodeAffinity",
  messages,
  prepare({ pod }) {
    const { template } = pod;
    if (template.requiredNodeAffinity === null && template.nodeSelector.size === 0) return skip;
    const named = namedNodes(template.requiredNodeAffinity ?? []);
    if (named !== null && named.size === 0) return rejectAll(rejectForGood(messages.conflict));
    const check = perNode((node) => (matchesRequiredNodeAffinity(template, node.node) ? pass : rejected));
    return checkNodes(check, named);
  },
} satisfies Filter & { messages: unknown };

/** Null: some term names no node, so every node may match. */
function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | null {
  if (terms.length === 0) return null;
  let named: ReadonlySet<string> = new Set();
  for (const term of terms) {
    const inTerm = term.matchFields
      .filter(({ key, operator }) => key === "metadata.name" && operator === "In")
      .map(({ values }): ReadonlySet<string> => new Set(values));
    if (inTerm.length === 0) return null;
    named = named.union(inTerm.reduce((left, right) => left.intersection(right)));
  }
  return named;
}
