import { admitByWebhooks } from "../model/admission-webhooks.ts";
import type { ClusterView } from "../model/view.ts";

/**
 * Admission, in a namespace, of `pods/eviction`, which comes before everything the eviction subresource looks at.
 * Mirrors: pkg/registry/core/pod/storage/eviction.go Create (createValidation), 1.36.
 */
export function evictionWebhooks(
  view: ClusterView,
  namespace: string,
): { readonly refused: string | null; readonly undecided: readonly string[] } {
  return admitByWebhooks(view, { operation: "evict", namespace, labels: new Map() });
}
