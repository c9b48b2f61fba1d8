import { drainRule, pass } from "../drain-rule.ts";

/**
 * Mirrors of static pods are not the API server's to delete: skipped without a word.
 * Mirrors: kubectl pkg/drain/filters.go mirrorPodFilter, 0.36.3.
 */
export const mirror = drainRule({
  name: "mirror",
  messages: {
    mirror: () => "static pod, stopped with its node",
  },
  decide({ pod }, say) {
    return pod.mirror ? say.skip("mirror") : pass;
  },
});
