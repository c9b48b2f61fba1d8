import { unreachable } from "../../base/invariant.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { rolloutObstacle } from "../rollout.ts";

/**
 * A rolling update that must place a new pod before an old one goes, and has no place for it.
 * Mirrors: Deployment rolling updates (maxUnavailable rounds down, maxSurge up) and the scheduler's spread counts, 1.36.
 */
export const rolloutCannotFinish = findingRule({
  name: "rollout-cannot-finish",
  code: "HF011",
  title: "A rollout that cannot finish",
  explain: `By default (25 % and 25 %) a Deployment of up to three replicas may not lose one before a new one is Ready: maxUnavailable rounds down to 0. The new pod needs a place beside all old ones. It has none when

required anti-affinity leaves no node without an old pod;
a hard topology spread counts the old pods too (no matchLabelKeys), so that a node with a replica is always one too many while an empty or unusable node counts as zero;
no node has room, most often no free GPU.

And a leader-elected picker rolls for ever: the new standby is never Ready.

Every later change hangs on it, the fix of something else included. Nothing is down meanwhile, so this is a warning and never an error.`,
  messages: {
    apart: (f: { part: string; nodes: number }) => ({
      message: `${f.part} must place a new pod before an old one goes, but required anti-affinity keeps it off all ${f.nodes} nodes it may use: no rollout finishes.`,
      remedy: "Set the rolling update to maxSurge 0, maxUnavailable 1, at the object that owns the strategy.",
    }),
    spread: (f: { part: string }) => ({
      message: `${f.part} must place a new pod before an old one goes, but its hard spread counts the old pods and leaves no node for it: no rollout finishes.`,
      remedy:
        "Let the spread count only new pods and usable nodes (matchLabelKeys [pod-template-hash], nodeTaintsPolicy Honor); " +
        "`holdfast fix` finds the form whose own rollout finishes here.",
    }),
    noRoom: (f: { part: string; what: string }) => ({
      message: `${f.part} must place a new pod before an old one goes, but no node it may use has ${f.what} free: no rollout finishes.`,
      remedy:
        "Set the rolling update to maxSurge 0, maxUnavailable 1, at the object that owns the strategy; or add a node.",
    }),
    standbys: (f: { part: string }) => ({
      message: `${f.part} elects a leader, so a new standby is never Ready and a rolling update waits for it for ever.`,
      remedy: "Use strategy Recreate at a quiet time, or run the pickers without leader election.",
    }),
  },
  look: ({ stops, view }, say) =>
    stops.flatMap((stop) => {
      const obstacle = rolloutObstacle(view, stop);
      if (obstacle === null) return [];
      const about = { severity: "warning" as const, quiet: true };
      const part = nameOf(stop);
      switch (obstacle.kind) {
        case "standbys":
          return [say.of(stop, about, "standbys", { part })];
        case "apart":
          return [say.of(stop, about, "apart", { part, nodes: obstacle.nodes })];
        case "spread":
          return [say.of(stop, about, "spread", { part })];
        case "noRoom":
          return [say.of(stop, about, "noRoom", { part, what: obstacle.what })];
        default:
          return unreachable(obstacle);
      }
    }),
});
