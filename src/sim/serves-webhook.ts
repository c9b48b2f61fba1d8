import type { ClusterView, PodView } from "../model/view.ts";

/** Whether a webhook that refuses while it is away is served by this pod. */
export function servesWebhook(view: ClusterView, pod: PodView): boolean {
  return view.webhooks.some(({ service, failurePolicy }) => {
    if (service === null || failurePolicy !== "Fail" || service.namespace !== pod.namespace) return false;
    const found = view.services.find(({ ref }) => ref.namespace === service.namespace && ref.name === service.name);
    if (found === undefined || found.selector === null) return false;
    return [...found.selector].every(([key, value]) => pod.template.labels.get(key) === value);
  });
}
