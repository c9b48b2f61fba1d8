import type { PodTemplate } from "../../model/pod-template.ts";
import type { Quota } from "../../model/policy.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import type { Scene } from "../scene.ts";

/** A quota that has no room for one more pod of the part. Mirrors: the quota admission's counting of pods, requests and limits, 1.36. */
export const quotaForbidsSurge = findingRule({
  name: "quota-forbids-surge",
  code: "HF021",
  title: "A quota sized for the steady state",
  explain: `The namespace's quota is used up to the last pod of this part: one more would be refused, and the refusal is on the ReplicaSet, where few look. Rollouts that start a new pod before an old one goes hang; scaling up before a maintenance does too. Pods that are still terminating count as well, so a replacement is refused until the old pod is gone.

Raise the quota by one pod of the largest part.

It is a warning where the part breaks or stalls in a likely maintenance (the surge that would help is refused), else a note.`,
  messages: {
    noRoom: (f: { part: string; quota: string; resource: string; used: number; hard: number }) => ({
      message: `Quota ${f.quota} has no room for one more pod of ${f.part}: ${f.resource} is used ${f.used} of ${f.hard}. No surge and no overlapping replacement is possible.`,
      remedy: `Raise ${f.resource} in quota ${f.quota} by what one pod asks for.`,
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      const { template, hop, shown, workload } = stop;
      if (template === null || workload?.kind === "DaemonSet" || !hop.needed) return [];
      for (const quota of scene.view.quotas) {
        if (quota.ref.namespace !== hop.ref.namespace || quota.scopes.length > 0 || quota.notModelled.length > 0)
          continue;
        const tight = tightest(scene, quota, template);
        if (tight === null) continue;
        const hurts = shown.broke.length + shown.stalled.length > 0;
        const about = { severity: hurts ? ("warning" as const) : ("note" as const), source: quota.source };
        return [say.of(stop, about, "noRoom", { part: nameOf(stop), quota: quota.ref.name, ...tight })];
      }
      return [];
    }),
});

/** The first resource one more pod would overdraw; null: it fits. */
function tightest(
  { view }: Scene,
  quota: Quota,
  template: PodTemplate,
): { readonly resource: string; readonly used: number; readonly hard: number } | null {
  for (const [resource, hard] of quota.hard) {
    const one = amountOf(resource, template);
    if (one === 0) continue;
    const used =
      quota.used.get(resource) ??
      [...view.podsIn(quota.ref.namespace)].reduce((sum, pod) => sum + amountOf(resource, pod.template), 0);
    if (used + one > hard) return { resource, used, hard };
  }
  return null;
}

/** What one pod counts under a quota's resource name: CPU in milli, all else in whole units. */
function amountOf(resource: string, { requests, limits }: PodTemplate): number {
  if (resource === "pods" || resource === "count/pods") return 1;
  const limited = resource.startsWith("limits.");
  const from = limited ? limits : requests;
  const name = resource.replace(/^(requests|limits)\./, "");
  if (name === "cpu") return from.milliCpu;
  if (name === "memory") return from.memoryBytes;
  if (name === "ephemeral-storage") return from.ephemeralStorageBytes;
  return resource.startsWith("requests.") ? (requests.scalar.get(name) ?? 0) : 0;
}
