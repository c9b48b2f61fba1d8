import { drainRule, isFinished, pass } from "../drain-rule.ts";

/**
 * DaemonSet pods are never evicted: refused, or skipped with --ignore-daemonsets. One whose DaemonSet is gone is
 * refused, or evicted with --force. Comes before the mirror rule, as in kubectl.
 * Mirrors: kubectl pkg/drain/filters.go daemonSetFilter, 0.36.3.
 */
export const daemonSet = drainRule({
  name: "daemon-set",
  messages: {
    daemonSetPods: () => "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)",
    daemonSetGone: (f: { name: string }) => `daemonsets.apps ${JSON.stringify(f.name)} not found`,
    ignored: () => "ignoring DaemonSet-managed Pods",
  },
  decide({ view, pod, flags }, say) {
    if (pod.owner === null || !pod.owner.startsWith("DaemonSet.apps/") || isFinished(pod)) return pass;
    const owner = view.workload(pod.owner);
    const unseen = owner?.spec.kind === "Other" && !owner.spec.present;
    if (owner === undefined || unseen) {
      if (flags.force) return pass;
      return say.refuse("daemonSetGone", { name: pod.owner.slice(pod.owner.lastIndexOf("/") + 1) });
    }
    return flags.ignoreDaemonsets ? say.skip("ignored") : say.refuse("daemonSetPods");
  },
});
