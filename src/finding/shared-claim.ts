import type { ClusterView } from "../model/view.ts";
import type { Stop } from "./scene.ts";

/**
 * A sentence on the claim that every pod of the part shares and that ties them together, "" where there is none: more
 * replicas or a spread do not help while it is so. Claims a StatefulSet makes for each pod tie nothing.
 */
export function sharedClaimText(view: ClusterView, { hop, template }: Stop): string {
  const { namespace } = hop.ref;
  for (const used of template?.volumes ?? []) {
    if (used.kind !== "claim") continue;
    const modes = view.volumeClaim(`${namespace}/${used.claimName}`)?.accessModes ?? [];
    if (modes.length === 0 || modes.some((mode) => mode.endsWith("Many"))) continue;
    const why = modes.includes("ReadWriteOncePod")
      ? "is ReadWriteOncePod: a second pod that uses it never starts"
      : "is ReadWriteOnce: one node at a time can mount it, so a second pod elsewhere waits for the volume";
    return (
      `But claim ${namespace}/${used.claimName} ${why}. First put what it holds where every node can mount it ` +
      "(ReadWriteMany or ReadOnlyMany), into an emptyDir if it can be loaded again, or give each replica a claim of its own."
    );
  }
  return "";
}
