import type { Knob } from "../../systems/knobs.ts";
import { findingRule } from "../finding-rule.ts";
import { few, refText } from "../knob-text.ts";
import type { Stop } from "../scene.ts";

/**
 * Where the obvious repair (kubectl edit, kubectl scale) would not last. What each controller puts back was seen on running
 * ones where the system's page says so, else read from its source.
 */
export const fixReverted = findingRule({
  name: "fix-reverted",
  code: "HF030",
  title: "Controllers that would put a fix back",
  explain: `The objects that run the path are often generated, and what generates them puts an edit back: KServe within a second, provider-kubernetes within ten minutes, a Helm upgrade at the next release, Argo CD and Flux at their next sync. A fix made with kubectl edit or kubectl scale looks applied, and is gone when the next node is drained.

Change the object that the evidence names for each part instead; \`holdfast fix\` writes its patches there. Where no field in the cluster leads there, the change belongs into the generator's code, its control plane or its platform's settings. A budget of your own always lasts, except beside Envoy Gateway's proxies (HF028).

It is a note, told once for the whole path: nothing is wrong by it, and every repair depends on it.`,
  messages: {
    putBack: (f: { objects: string; several: boolean; instead: string }) => ({
      message: f.several
        ? `Edits of ${f.objects} do not last: what makes these objects puts them back.`
        : `An edit of ${f.objects} does not last: what makes it puts it back.`,
      remedy: f.several ? "Make each change where the evidence says." : f.instead,
    }),
  },
  look: ({ stops }, say) => {
    const kept = stops.flatMap((stop) => {
      const place = stop.hop.needed ? placeOf(stop) : null;
      return place === null ? [] : [{ stop, place }];
    });
    // Several parts may be one object (roles of a set).
    const objects = new Map(kept.map(({ stop, place }) => [refText(stop.hop.ref), { stop, place }]));
    const [first, second] = objects.values();
    if (first === undefined) return [];
    const about = {
      severity: "note" as const,
      evidence: [...objects].map(([object, { place }]) => `${object}: ${place.overwrites} ${place.instead}`),
    };
    const facts = { objects: few([...objects.keys()]), several: second !== undefined, instead: first.place.instead };
    return [
      say.ofAll(
        [...objects.values()].map(({ stop }) => stop),
        about,
        "putBack",
        facts,
      ),
    ];
  },
});

/** Who puts an edit of its object back, and where a change lasts; null: nobody does. */
function placeOf(stop: Stop): { readonly overwrites: string; readonly instead: string } | null {
  const { replicas, overwrites, managedBy } = stop.hop.knobs;
  const instead = overwrites === "" ? "" : elsewhere(replicas, stop);
  if (instead !== "") return { overwrites, instead };
  if (!/^(Argo CD|Flux)/.test(managedBy)) return null;
  return {
    overwrites: `${managedBy} applies it from a repository, and puts an edit back at its next sync.`,
    instead: "Change it in the repository.",
  };
}

/** The place that lasts, where it is not the object itself; "" else. */
function elsewhere(knob: Knob, { hop }: Stop): string {
  switch (knob.by) {
    case "field":
    case "text":
      return refText(knob.target) === refText(hop.ref) ? "" : `Change ${refText(knob.target)}.`;
    case "helm":
      return `Change the values of ${hop.knobs.managedBy.replace(/^helm release/, "Helm release").replace(/^helm$/, "the Helm release")}.`;
    case "code":
      return `Change ${knob.what}.`;
    case "budget":
    case "none":
      return "";
  }
}
