import type { Labels } from "./labels.ts";
import type { ClusterView } from "./view.ts";

/**
 * A namespace's labels. One that was not read has only the label the API server gives every namespace; `complete` is
 * false then, as it may carry others.
 */
export function namespaceLabels(
  view: ClusterView,
  name: string,
): { readonly labels: Labels; readonly complete: boolean } {
  const read = view.cluster.namespaces.get(name);
  const own: readonly [string, string] = ["kubernetes.io/metadata.name", name];
  if (read === undefined) return { labels: new Map([own]), complete: false };
  if (read.labels.has(own[0])) return { labels: read.labels, complete: true };
  return { labels: new Map([...read.labels, own]), complete: true };
}
