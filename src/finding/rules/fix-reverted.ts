import type { Knob } from "../../systems/knobs.ts";
import { findingRule } from "../finding-rule.ts";
import { refText } from "../knob-text.ts";
import type { Stop } from "../scene.ts";

/**
 * Where a part breaks, the obvious repair (kubectl edit, kubectl scale) may not last: told of where it is so. What each
 * controller puts back was seen on running ones where the system's page says so, else read from its source.
 */
export const fixReverted = findingRule({
  name: "fix-reverted",
  code: "HF030",
  title: "A controller that would put a fix back",
  explain: `A part breaks or stalls in a likely maintenance, so somebody will want to change it: raise its replicas, spread it. The object that runs is generated, and its generator puts an edit back: KServe within a second, provider-kubernetes within ten minutes, a Helm upgrade at the next release, Argo CD and Flux at their next sync. The fix looks applied, and is gone when the next node is drained.

Change the object that is named instead. Where the generator has no field for it here, the fix belongs into its code, its control plane or its platform's settings; a budget of your own always lasts, except beside Envoy Gateway's proxies (HF028).

It is a warning where no field in this cluster leads there, else a note.`,
  messages: {
    putBack: (f: { part: string; object: string; overwrites: string; instead: string }) => ({
      message: `An edit of ${f.object} to repair ${f.part} does not last. ${f.overwrites}`,
      remedy: `Change ${f.instead} instead.`,
    }),
    noField: (f: { part: string; object: string; overwrites: string; what: string }) => ({
      message: `No field in this cluster sets the replicas of ${f.part}, and an edit of ${f.object} does not last. ${f.overwrites}`,
      remedy: `Change ${f.what}.`,
    }),
    synced: (f: { part: string; object: string; tool: string }) => ({
      message: `${f.tool} applies ${f.object} (${f.part}) from its repository: an edit in the cluster is put back at its next sync.`,
      remedy: "Change it in the repository.",
    }),
  },
  look: ({ stops }, say) =>
    together(stops).flatMap(({ stop, part }) => {
      const { hop } = stop;
      const facts = { part, object: refText(hop.ref), overwrites: hop.knobs.overwrites };
      const { replicas, overwrites, managedBy } = hop.knobs;
      if (overwrites !== "" && replicas.by === "code")
        return [say.of(stop, { severity: "warning", quiet: true }, "noField", { ...facts, what: replicas.what })];
      const instead = overwrites === "" ? "" : elsewhere(replicas, stop);
      if (instead !== "") return [say.of(stop, { severity: "note", quiet: true }, "putBack", { ...facts, instead })];
      if (!/^(Argo CD|Flux)/.test(managedBy)) return [];
      return [say.of(stop, { severity: "note", quiet: true }, "synced", { ...facts, tool: managedBy })];
    }),
});

/** Several parts may be one object (roles of a set): it is told of once. */
function together(stops: readonly Stop[]): readonly { readonly stop: Stop; readonly part: string }[] {
  const hurt = stops.filter(({ hop, shown }) => hop.needed && shown.broke.length + shown.stalled.length > 0);
  const byObject = Map.groupBy(hurt, (stop) => `${refText(stop.hop.ref)} ${elsewhere(stop.hop.knobs.replicas, stop)}`);
  return [...byObject.values()].flatMap((parts) => {
    const [stop] = parts;
    if (stop === undefined) return [];
    const { namespace, name } = stop.hop.ref;
    const names = [...new Set(parts.map(({ hop }) => hop.component))];
    return [{ stop, part: `${names.join(" and ")} (${namespace}/${name})` }];
  });
}

/** The place that lasts, where it is not the object itself; "" else. */
function elsewhere(knob: Knob, { hop }: Stop): string {
  switch (knob.by) {
    case "field":
    case "text":
      return refText(knob.target) === refText(hop.ref) ? "" : refText(knob.target);
    case "helm":
      return `the values of ${hop.knobs.managedBy.replace(/^helm release/, "Helm release").replace(/^helm$/, "the Helm release")}`;
    case "budget":
    case "code":
    case "none":
      return "";
  }
}
