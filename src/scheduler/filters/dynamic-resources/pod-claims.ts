import type { ResourceClaim } from "../../../model/device.ts";
import type { ClusterView, PodView } from "../../../model/view.ts";

/** A pod's claims in the order of its spec, or why it must wait. */
export type PodClaims =
  | { readonly ready: true; readonly claims: readonly ResourceClaim[] }
  | { readonly ready: false; readonly why: string };

/**
 * Mirrors: plugins/dynamicresources foreachPodResourceClaim and resourceclaim.Name, Kubernetes 1.34 to 1.37. Upstream asks before
 * a pod enters the queue (PreEnqueue) and again in PreFilter.
 */
export function podClaims(view: ClusterView, pod: PodView): PodClaims {
  const claims: ResourceClaim[] = [];
  for (const { name, claimName } of pod.template.resourceClaims) {
    const key = claimName === null ? pod.claimKeys.get(name) : `${pod.namespace}/${claimName}`;
    if (key === undefined) {
      return { ready: false, why: `pod "${pod.namespace}/${pod.name}": ResourceClaim not created yet` };
    }
    const claim = view.resourceClaim(key);
    if (claim === undefined) {
      const missing = key.slice(pod.namespace.length + 1);
      return { ready: false, why: `could not find ResourceClaim "${pod.namespace}/${missing}"` };
    }
    if (claim.deleting) return { ready: false, why: `resourceclaim "${claim.name}" is being deleted` };
    if (claimName === null && claim.ownerPod !== pod.key) {
      const word = view.cluster.version.minor >= 36 ? "Pod" : "pod";
      const claimed = `ResourceClaim ${claim.namespace}/${claim.name} was not created for`;
      return { ready: false, why: `${claimed} ${word} ${pod.namespace}/${pod.name} (${word} is not owner)` };
    }
    claims.push(claim);
  }
  return { ready: true, claims };
}

/** `namespace/name`. */
export function claimKey({ namespace, name }: ResourceClaim): string {
  return `${namespace}/${name}`;
}
