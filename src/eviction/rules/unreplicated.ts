import { drainRule, isFinished, pass } from "../drain-rule.ts";

/**
 * Pods without a controller do not come back: refused unless --force is given. Any controller counts, also one that
 * no longer exists. kubectl up to 1.32 doubles the words "cannot delete" before this text.
 * Mirrors: kubectl pkg/drain/filters.go unreplicatedFilter, 0.36.3.
 */
export const unreplicated = drainRule({
  name: "unreplicated",
  messages: {
    noController: () => "Pods that declare no controller (use --force to override)",
  },
  decide({ pod, flags }, say) {
    if (isFinished(pod) || pod.owner !== null || flags.force) return pass;
    return say.refuse("noController");
  },
});
