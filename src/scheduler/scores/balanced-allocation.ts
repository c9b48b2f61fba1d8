import type { Resources } from "../../model/resources.ts";
import type { NodeView } from "../../model/view.ts";
import { notNormalized, type Score } from "../framework.ts";
import { maxScore } from "./normalize.ts";

/**
 * How evenly CPU and memory are used. Up to 1.35: 100 less the distance of the two shares once the pod is there. From 1.36
 * on: 75 where the pod changes nothing, up to 100 where it evens things out, down to 50 where it does the opposite. A pod
 * that requests neither gives no score.
 * Mirrors: plugins/noderesources/balanced_allocation.go, Kubernetes 1.34 to 1.37. Doubles, in upstream's order.
 */
export const balancedAllocation: Score = {
  name: "NodeResourcesBalancedAllocation",
  prepare({ pod, minor }) {
    const { requests } = pod.template;
    if (requests.milliCpu === 0 && requests.memoryBytes === 0) return null;
    return {
      raw({ node, requested }) {
        const withPod = evenness(node, requested, requests);
        if (minor <= 35) return withPod;
        const withoutPod = evenness(node, requested, null);
        const half = maxScore / 2;
        return half + Math.trunc((half + withPod - withoutPod) / 2);
      },
      normalize: notNormalized,
    };
  },
};

/** The standard deviation of two shares is half their distance; of one it is 0. */
function evenness({ allocatable }: NodeView["node"], requested: Resources, added: Resources | null): number {
  let deviation = 0;
  if (allocatable.milliCpu !== 0 && allocatable.memoryBytes !== 0) {
    const cpu = Math.min(1, (requested.milliCpu + (added?.milliCpu ?? 0)) / allocatable.milliCpu);
    const memory = Math.min(1, (requested.memoryBytes + (added?.memoryBytes ?? 0)) / allocatable.memoryBytes);
    deviation = Math.abs((cpu - memory) / 2);
  }
  return Math.trunc((1 - deviation) * maxScore);
}
