import type { Allocation } from "../../model/device.ts";
import { type Work, workOf } from "../filters/dynamic-resources/work.ts";
import type { NodeScore, Score } from "../framework.ts";
import { scaleToHighest } from "./normalize.ts";

/** A request takes at most this many alternatives. */
const alternativesMax = 8;

/**
 * Prefers nodes where earlier alternatives of `firstAvailable` requests can be had. From 1.35 on, weight 2.
 * Mirrors: plugins/dynamicresources computeScore, Kubernetes 1.35 to 1.37.
 */
export const dynamicResourcesScore: Score = {
  name: "DynamicResources",
  prepare(cycle) {
    const work = workOf(cycle);
    if (cycle.minor < 35 || work === undefined) return null;
    const score: NodeScore = {
      raw: (node) => rate(work, work.found.get(node.name)?.allocations),
      normalize: (raw) => scaleToHighest(raw, false),
    };
    return score;
  },
};

function rate({ claims }: Work, found: readonly Allocation[] | undefined): number {
  if (found === undefined) return 0;
  const allocations = [...found];
  let sum = 0;
  for (const claim of claims) {
    const results = (claim.allocation ?? allocations.shift())?.results ?? [];
    const taken = new Set(results.map(({ request }) => request));
    for (const { name, alternatives, isFirstAvailable } of claim.requests) {
      if (!isFirstAvailable) continue;
      for (const [index, alternative] of alternatives.entries()) {
        if (taken.has(`${name}/${alternative.name}`)) sum += alternativesMax - index;
      }
    }
  }
  return sum;
}
