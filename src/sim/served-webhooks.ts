import { hasLabels } from "../model/labels.ts";
import type { AdmissionWebhook } from "../model/policy.ts";
import type { ClusterView, PodView } from "../model/view.ts";

/** The webhooks that refuse while they are away, of which this pod is a backend. */
export function servedWebhooks(view: ClusterView, pod: PodView): readonly AdmissionWebhook[] {
  return view.webhooks.filter(({ service, failurePolicy }) => {
    if (service === null || failurePolicy !== "Fail" || service.namespace !== pod.namespace) return false;
    const found = view.services.find(({ ref }) => ref.namespace === service.namespace && ref.name === service.name);
    if (found === undefined || found.selector === null) return false;
    return hasLabels(pod.template.labels, found.selector);
  });
}
