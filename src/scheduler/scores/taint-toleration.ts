import { toleratesAny } from "../../model/taints.ts";
import type { Score } from "../framework.ts";
import { scaleToHighest } from "./normalize.ts";

/**
 * Fewer PreferNoSchedule taints that are not tolerated is better.
 * Mirrors: plugins/tainttoleration Score, Kubernetes 1.34 to 1.37.
 */
export const taintTolerationScore: Score = {
  name: "TaintToleration",
  prepare({ pod }) {
    const { tolerations } = pod.template;
    return {
      raw({ taints }) {
        let count = 0;
        for (const taint of taints) {
          if (taint.effect === "PreferNoSchedule" && !toleratesAny(tolerations, taint)) count += 1;
        }
        return count;
      },
      normalize: (raw) => scaleToHighest(raw, true),
    };
  },
};
