import { type AdmissionRequest, admitByWebhooks, webhookNamedIn } from "../model/admission-webhooks.ts";
import type { ClusterView, PodView, WorkloadView } from "../model/view.ts";
import { servedWebhooks } from "../sim/served-webhooks.ts";
import { admitByLimitRange } from "../workload/limit-range.ts";
import { isActive } from "../workload/pod-state.ts";
import { admitByQuota } from "../workload/quota.ts";
import { few, type Link } from "./stall-room.ts";

/** Why the API server refuses a request, who that waits for, and what would change it. */
export interface Refused {
  readonly links: readonly Link[];
  readonly freedBy: readonly string[];
  /** Pods of webhooks that do not answer: what they wait for is told next. */
  readonly awaits: readonly PodView[];
}

/** Owners that want more pods than they have, and cannot make them as things stand now. */
export function refusedMakers(view: ClusterView, owners: readonly WorkloadView[]): readonly Refused[] {
  return owners.flatMap((owner) => {
    const { spec } = owner;
    if (!("template" in spec) || !("replicas" in spec)) return [];
    if (view.podsOwnedBy(owner.key).filter(isActive).length >= spec.replicas) return [];
    const { kind, namespace, name } = spec.ref;
    const what = `${kind} ${namespace}/${name} cannot make a pod`;
    const { template } = spec;
    const sizes = admitByLimitRange(view, namespace, template);
    if (sizes !== null) {
      const text = `${what}: ${sizes}`;
      return [
        {
          links: [{ kind: "admission", ref: namespace, text }],
          freedBy: [`a LimitRange of ${namespace} that lets it`],
          awaits: [],
        },
      ];
    }
    const byWebhook = refusedByWebhook(view, { operation: "createPod", namespace, labels: template.labels }, what);
    if (byWebhook !== null) return [byWebhook];
    const quota = admitByQuota(view, namespace, template);
    if (quota === null) return [];
    const names = view.quotas
      .filter(({ ref }) => ref.namespace === namespace && quota.includes(ref.name))
      .map(({ ref }) => `${namespace}/${ref.name}`);
    const free = `more in quota ${few(names, "or")}, or less asked for by pods of ${namespace}`;
    return [
      { links: [{ kind: "admission", ref: names.join(","), text: `${what}: ${quota}` }], freedBy: [free], awaits: [] },
    ];
  });
}

/** Null: no webhook refuses it now. */
export function refusedByWebhook(view: ClusterView, request: AdmissionRequest, what: string): Refused | null {
  const { refused } = admitByWebhooks(view, request);
  if (refused === null) return null;
  const webhook = webhookNamedIn(view, refused);
  const service = webhook?.service ?? null;
  const absent = view.podsIn(service?.namespace ?? "").filter(({ ready }) => !ready);
  const name = webhook?.name ?? "";
  const at = service === null ? "" : `: a Ready pod behind Service ${service.namespace}/${service.name}`;
  return {
    links: [{ kind: "admission", ref: name, text: `${what}: webhook ${name} must answer and cannot` }],
    freedBy: [`webhook ${name} answering again${at}`],
    awaits: absent.filter((pod) => servedWebhooks(view, pod).some((served) => served === webhook)),
  };
}
