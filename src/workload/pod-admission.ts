import { admitByWebhooks } from "../model/admission-webhooks.ts";
import type { ObjectKey } from "../model/key.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { ClusterView, Effect } from "../model/view.ts";
import { admitByLimitRange } from "./limit-range.ts";
import { admitByQuota } from "./quota.ts";

/** What the API server says to a new pod. */
export type PodAdmission =
  | { readonly admitted: true; readonly undecided: readonly string[] }
  /** `silent`: the namespace is going; controllers say nothing of it and do not retry. */
  | { readonly admitted: false; readonly message: string; readonly silent: boolean };

/** What the pod will be called; not exact: a prefix, the API server adds the rest. */
export interface NewPodName {
  readonly name: string;
  readonly exact: boolean;
}

/**
 * Admission of a pod a controller is about to create: namespace, sizes, webhooks, quota (last, as upstream). The pod's random
 * name suffix is written `<suffix>`.
 * Mirrors: pkg/kubeapiserver/options/plugins.go AllOrderedPlugins, 1.36.
 */
export function admitPod(view: ClusterView, { name, exact }: NewPodName, template: PodTemplate): PodAdmission {
  const { namespace } = template;
  if (view.cluster.namespaces.get(namespace)?.terminating === true) {
    return { admitted: false, message: `namespace ${namespace} is being terminated`, silent: true };
  }
  const full = exact ? name : `${name}<suffix>`;
  const sizes = admitByLimitRange(view, namespace, template);
  if (sizes !== null) return { admitted: false, message: `pods "${full}" is forbidden: ${sizes}`, silent: false };
  const webhooks = admitByWebhooks(view, { operation: "createPod", namespace, labels: template.labels });
  if (webhooks.refused !== null) return { admitted: false, message: webhooks.refused, silent: false };
  const quota = admitByQuota(view, namespace, template);
  if (quota !== null) {
    return { admitted: false, message: `pods "${full}" is forbidden: ${quota}`, silent: false };
  }
  return { admitted: true, undecided: webhooks.undecided };
}

/** What may or may not have refused the pods of this owner: said, as it cannot be played. */
export function doubtsAbout(owner: ObjectKey, undecided: readonly string[]): readonly Effect[] {
  return undecided.map((doubt) => ({
    do: "report",
    type: doubt,
    ref: owner,
    message: "new pods and workloads are taken to be admitted",
  }));
}
