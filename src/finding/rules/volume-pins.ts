import { matchesAnyTerm } from "../../model/node-selector.ts";
import type { NodeSelectorTerm, PodTemplate } from "../../model/pod-template.ts";
import type { ClusterView } from "../../model/view.ts";
import { isSetUpWell } from "../closing.ts";
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

A device claim that pods name (not one made from a template for each pod) does the same: it is allocated once, and every pod that uses it has to go where its devices are.

Caches that can be filled again belong into an emptyDir or a volume every zone can reach; a replica in another zone needs a volume of its own.

It is an error where a likely maintenance breaks the endpoint through this part although it is set up well otherwise, else a note.`,
  messages: {
    claimed: (f: { part: string; pod: string; claim: string; nodes: string; others: number }) => ({
      message: `${f.pod} of ${f.part} uses device claim ${f.claim}, whose devices are on ${f.nodes || "no node it may run on"}: its replacement cannot use the ${f.others} other nodes it may run on.`,
      remedy:
        "Name a resourceClaimTemplateName instead of the claim, so that each pod gets devices where it is placed.",
    }),
    pinned: (f: { part: string; pod: string; volume: string; nodes: string; others: number }) => ({
      message: `${f.pod} of ${f.part} needs volume ${f.volume}, which ${f.nodes === "" ? "no node it may run on" : `only ${f.nodes}`} can reach: its replacement cannot use the ${f.others}${f.nodes === "" ? "" : " other"} nodes ${f.nodes === "" ? "there are" : "it may run on"}.`,
      remedy:
        "Use a volume that every zone can reach, an emptyDir for what can be loaded again, or a replica with its own volume elsewhere.",
    }),
  },
  look: ({ stops, view }, say) =>
    stops.flatMap((stop) => {
      if (!stop.hop.needed) return [];
      const about = { severity: isSetUpWell(stop) ? severityOf(stop.shown, "note", "broke") : ("note" as const) };
      const pinned = pinOf(view, stop);
      if (pinned !== null) return [say.of(stop, about, "pinned", { part: nameOf(stop), ...pinned })];
      const claimed = claimOf(view, stop);
      return claimed === null ? [] : [say.of(stop, about, "claimed", { part: nameOf(stop), ...claimed })];
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
      const place = placeOf(view, pod.template, terms);
      if (place !== null) return { pod: pod.key, volume: name, ...place };
    }
  }
  return null;
}

/** A claim that stands by itself and is allocated; those made from templates go with their pods. */
function claimOf(
  view: ClusterView,
  { pods }: Stop,
): { readonly pod: string; readonly claim: string; readonly nodes: string; readonly others: number } | null {
  for (const pod of pods) {
    for (const { claimName } of pod.template.resourceClaims) {
      const claim = claimName === null ? undefined : view.resourceClaim(`${pod.namespace}/${claimName}`);
      const terms = claim?.allocation?.nodeSelector ?? null;
      const place = claimName === null || terms === null ? null : placeOf(view, pod.template, terms);
      if (claimName !== null && place !== null) return { pod: pod.key, claim: claimName, ...place };
    }
  }
  return null;
}

/** The nodes near enough among those the pod may use; null: all of them are. */
function placeOf(
  view: ClusterView,
  template: PodTemplate,
  terms: readonly NodeSelectorTerm[],
): { readonly nodes: string; readonly others: number } | null {
  const usable = usableNodes(view, template);
  const near = usable.filter(({ node }) => matchesAnyTerm(terms, node));
  if (near.length === usable.length) return null;
  const nodes = near.length > 3 ? `${near.length} nodes` : near.map((node) => node.name).join(", ");
  return { nodes, others: usable.length - near.length };
}
