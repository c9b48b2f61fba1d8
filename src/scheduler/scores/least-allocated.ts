import { notNormalized, type Score } from "../framework.ts";
import { maxScore, scaledDown } from "./normalize.ts";

/**
 * The share of CPU and memory that stays free with the pod, each from 0 to 100, averaged. Containers that request nothing
 * count as 100m and 200 MB. What a node does not have at all is left out. Pod-level resources of the pod itself are
 * forgotten: upstream never tells this scorer of them.
 * Mirrors: plugins/noderesources/least_allocated.go and resource_allocation.go, Kubernetes 1.34 to 1.37.
 */
export const leastAllocated: Score = {
  name: "NodeResourcesFit",
  prepare({ pod: { template } }) {
    return {
      raw({ node: { allocatable }, nonZeroMilliCpu, nonZeroMemoryBytes }) {
        let sum = 0;
        let counted = 0;
        const count = (used: number, total: number): void => {
          if (total === 0) return;
          counted += 1;
          if (used <= total) sum += scaledDown(total - used, maxScore, total);
        };
        count(nonZeroMilliCpu + template.scoredMilliCpu, allocatable.milliCpu);
        count(nonZeroMemoryBytes + template.scoredMemoryBytes, allocatable.memoryBytes);
        return counted === 0 ? 0 : Math.trunc(sum / counted);
      },
      normalize: notNormalized,
    };
  },
};
