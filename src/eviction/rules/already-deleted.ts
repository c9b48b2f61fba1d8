import { drainRule, pass } from "../drain-rule.ts";

/**
 * With --skip-wait-for-delete-timeout, a pod whose grace ran out longer ago than that is not waited for. Comes first.
 * The deletionTimestamp is when the grace ends, not when the deletion began. Whole seconds, rounded down.
 * Mirrors: kubectl pkg/drain/filters.go skipDeletedFilter, 0.36.3.
 */
export const alreadyDeleted = drainRule({
  name: "already-deleted",
  messages: {
    alreadyDeleted: (f: { seconds: number }) => `deletion is overdue by more than ${f.seconds} s: not waited for`,
  },
  decide({ view, pod, flags }, say) {
    const { skipWaitForDeleteSeconds } = flags;
    if (skipWaitForDeleteSeconds <= 0 || pod.terminatingSinceMs === null) return pass;
    // A kubelet that is done deletes once more, without grace: only a finalizer holds the object then.
    const graceMs = pod.phase === "Succeeded" || pod.phase === "Failed" ? 0 : pod.template.terminationGraceMs;
    const deletionTimestampMs = pod.terminatingSinceMs + graceMs;
    const overdueSeconds = Math.trunc((view.nowMs - deletionTimestampMs) / 1000);
    if (overdueSeconds <= skipWaitForDeleteSeconds) return pass;
    return say.skip("alreadyDeleted", { seconds: skipWaitForDeleteSeconds });
  },
});
