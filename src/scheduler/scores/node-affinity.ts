import type { Node } from "../../model/node.ts";
import { matchesTerm } from "../../model/node-selector.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Score } from "../framework.ts";
import { scaleToHighest } from "./normalize.ts";

/** Pod template → node → sum of weights. Both are immutable. */
const known = new WeakMap<PodTemplate, WeakMap<Node, number>>();

/**
 * Sum of the weights of the preferred node affinity terms that match.
 * Mirrors: plugins/nodeaffinity Score, Kubernetes 1.34 to 1.37.
 */
export const nodeAffinityScore: Score = {
  name: "NodeAffinity",
  prepare({ pod: { template } }) {
    if (template.preferredNodeAffinity.length === 0) return null;
    const sums = known.get(template) ?? new WeakMap<Node, number>();
    known.set(template, sums);
    return {
      raw({ node }) {
        let sum = sums.get(node);
        if (sum === undefined) {
          sum = 0;
          for (const { weight, term } of template.preferredNodeAffinity) if (matchesTerm(term, node)) sum += weight;
          sums.set(node, sum);
        }
        return sum;
      },
      normalize: (raw) => scaleToHighest(raw, false),
    };
  },
};
