import type { PodTemplate } from "../../model/pod-template.ts";
import type { Quota } from "../../model/policy.ts";
import { isSetUpWell } from "../closing.ts";
import type { Severity } from "../finding.ts";
import { findingRule, labelOf, namesOf } from "../finding-rule.ts";
import type { Scene } from "../scene.ts";

/** A quota that has no room for one more pod of the part. Mirrors: the quota admission's counting of pods, requests and limits, 1.36. */
export const quotaForbidsSurge = findingRule({
  name: "quota-forbids-surge",
  code: "HF021",
  title: "A quota sized for the steady state",
  explain: `The namespace's quota is used up: one more pod of a part would be refused, and the refusal stands on the ReplicaSet, where few look. Rollouts that start a new pod before an old one goes hang; scaling up before a maintenance does too. Pods that are still terminating count as well, so a replacement is refused until the old pod is gone.

A quota that was lowered under what runs is overdrawn: it stops nothing that is there, and lets nothing in, so an evicted pod does not come back, and a budget over the others then holds the next drain.

Raise the quota by one pod of the largest part.

It is told once a quota, with the parts it leaves no room for. Where one of them that is itself set up well breaks or stalls in a likely maintenance it is an error if the quota is overdrawn and else a warning; where none does, a warning and a note.`,
  messages: {
    noRoom: (f: { parts: string; quota: string; resource: string; used: string; hard: string }) => ({
      message: `Quota ${f.quota} has no room for one more pod of ${f.parts}: ${f.resource} is used ${f.used} of ${f.hard}. No surge and no overlapping replacement is possible.`,
      remedy: `Raise ${f.resource} in quota ${f.quota} by what one pod asks for.`,
    }),
    overdrawn: (f: { parts: string; quota: string; resource: string; used: string; hard: string }) => ({
      message: `Quota ${f.quota} is overdrawn: ${f.resource} is used ${f.used} of ${f.hard}. What runs goes on, but no new pod of ${f.parts} is let in, nor one in place of an evicted one.`,
      remedy: `Raise ${f.resource} in quota ${f.quota} above what is used, by what one pod asks for; until then drain no node of theirs.`,
    }),
  },
  look: (scene, say) =>
    scene.view.quotas
      .filter(({ scopes, notModelled }) => scopes.length === 0 && notModelled.length === 0)
      .flatMap((quota) => {
        const tight = scene.stops.flatMap((stop) => {
          const { template, hop, workload } = stop;
          if (template === null || workload?.kind === "DaemonSet" || !hop.needed) return [];
          if (quota.ref.namespace !== hop.ref.namespace) return [];
          const full = tightest(scene, quota, template);
          return full === null ? [] : [{ stop, full }];
        });
        const hurt = tight.filter(
          ({ stop }) => isSetUpWell(stop) && stop.shown.broke.length + stop.shown.stalled.length > 0,
        );
        const [first] = hurt.length > 0 ? hurt : tight;
        if (first === undefined) return [];
        // What a pod leaves behind is not enough for the next one.
        const { isOverdrawn } = first.full;
        const about = {
          severity: severityBy(hurt.length > 0, isOverdrawn),
          endpoint: "",
          component: `ResourceQuota ${quota.ref.namespace}/${quota.ref.name}`,
          evidence: tight.map(({ stop, full: { resource, used, hard } }) => {
            return `one more pod of ${labelOf(stop)}: ${resource} is used ${used} of ${hard}`;
          }),
          source: quota.source,
        };
        const parts = namesOf(tight.map(({ stop }) => stop));
        const { resource, used, hard } = first.full;
        return [
          say.about(about, isOverdrawn ? "overdrawn" : "noRoom", {
            parts,
            quota: quota.ref.name,
            resource,
            used,
            hard,
          }),
        ];
      }),
});

function severityBy(isHurt: boolean, isOverdrawn: boolean): Severity {
  if (isHurt) return isOverdrawn ? "error" : "warning";
  return isOverdrawn ? "warning" : "note";
}

interface Full {
  readonly resource: string;
  readonly used: string;
  readonly hard: string;
  /** More is used than the quota has. */
  readonly isOverdrawn: boolean;
}

/** The first resource one more pod would overdraw, one that is overdrawn already before others; null: it fits. */
function tightest({ view }: Scene, quota: Quota, template: PodTemplate): Full | null {
  const full = [...quota.hard].flatMap(([resource, hard]) => {
    const one = amountOf(resource, template);
    if (one === 0) return [];
    const used =
      quota.used.get(resource) ??
      [...view.podsIn(quota.ref.namespace)].reduce((sum, pod) => sum + amountOf(resource, pod.template), 0);
    if (used + one <= hard) return [];
    return [{ resource, used: amountText(resource, used), hard: amountText(resource, hard), isOverdrawn: used > hard }];
  });
  return full.find(({ isOverdrawn }) => isOverdrawn) ?? full[0] ?? null;
}

/** As quotas write it. */
function amountText(resource: string, amount: number): string {
  const name = resource.replace(/^(requests|limits)\./, "");
  if (name === "cpu") return `${amount / 1000}`;
  return name === "memory" || name === "ephemeral-storage" ? `${Math.round(amount / 1_048_576)}Mi` : `${amount}`;
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
