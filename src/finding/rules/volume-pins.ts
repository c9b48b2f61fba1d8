import { matchesAnyTerm } from "../../model/node-selector.ts";
import type { ClusterView } from "../../model/view.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { usableNodes } from "../nodes.ts";
import { severityOf } from "../outcome.ts";
import type { Stop } from "../scene.ts";

/** A bound volume says where its pod may be. */
export const volumePins = findingRule({
  name: "volume-pins",
  code: "HF025",
  title: "A volume that pins a pod",
  explain: `A pod of the path uses a volume that can be reached from few nodes: a local disk from one, a zonal disk from those of its zone. Its replacement may go nowhere else, and waits until such a node is open again, however much room there is elsewhere.

Caches that can be filled again belong into an emptyDir or a volume every zone can reach; a replica in another zone needs a volume of its own.

It is an error where a likely maintenance breaks the endpoint through this part.`,
  messages: {
    pinned: (f: { part: string; pod: string; volume: string; nodes: string; others: number }) => ({
      message: `${f.pod} of ${f.part} needs volume ${f.volume}, which only ${f.nodes} can reach: its replacement cannot use the ${f.others} other nodes it may run on.`,
      remedy:
        "Use a volume that every zone can reach, an emptyDir for what can be loaded again, or a replica with its own volume elsewhere.",
    }),
  },
  look: ({ stops, view }, say) =>
    stops.flatMap((stop) => {
      const pinned = stop.hop.needed ? pinOf(view, stop) : null;
      if (pinned === null) return [];
      const about = { severity: severityOf(stop.shown, "note", "broke") };
      return [say.of(stop, about, "pinned", { part: nameOf(stop), ...pinned })];
    }),
});

function pinOf(
  view: ClusterView,
  { pods }: Stop,
): { readonly pod: string; readonly volume: string; readonly nodes: string; readonly others: number } | null {
  for (const pod of pods) {
    for (const used of pod.template.volumes) {
      const claim =
        used.kind === "claim" ? used.claimName : used.kind === "ephemeral" ? `${pod.name}-${used.volume}` : "";
      const name = claim === "" ? "" : (view.volumeClaim(`${pod.namespace}/${claim}`)?.volumeName ?? "");
      const volume = name === "" ? undefined : view.volume(name);
      const terms = volume?.nodeAffinity ?? null;
      if (terms === null) continue;
      const usable = usableNodes(view, pod.template);
      const near = usable.filter(({ node }) => matchesAnyTerm(terms, node));
      if (near.length === usable.length) continue;
      const nodes = near.length > 3 ? `${near.length} nodes` : near.map((node) => node.name).join(", ") || "no node";
      return { pod: pod.key, volume: name, nodes, others: usable.length - near.length };
    }
  }
  return null;
}
