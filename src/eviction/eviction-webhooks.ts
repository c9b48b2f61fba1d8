import { admitByWebhooks } from "../model/admission-webhooks.ts";
import type { PodKey } from "../model/key.ts";
import type { ClusterView } from "../model/view.ts";

/**
 * Admission of `pods/eviction`, which comes before everything the eviction subresource looks at.
 * Mirrors: pkg/registry/core/pod/storage/eviction.go Create (createValidation), 1.36.
 */
export function evictionWebhooks(
  view: ClusterView,
  podKey: PodKey,
): { readonly refused: string | null; readonly undecided: readonly string[] } {
  const namespace = podKey.slice(0, podKey.indexOf("/"));
  return admitByWebhooks(view, { operation: "evict", namespace, labels: new Map() });
}
