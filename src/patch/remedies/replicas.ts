import { pathSteps, valueAt } from "../../wire/object-path.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import { type Act, type Edit, type FieldEdit, noCost, sentences } from "../edit.ts";
import type { KeptObjects } from "../kept-objects.ts";
import { placeOf } from "../place.ts";
import { type Remedy, remedy } from "../remedy.ts";
import { nameOfSite, type Site } from "../site.ts";

/** Two of what is one: the second serves while the first one moves. */
export const replicas: Remedy = remedy({
  name: "replicas",
  title: "a second replica",
  propose(site, { kept }) {
    return site.units === 1 ? replicasTo(site, 2, kept) : [];
  },
});

/** So many of it, at its true owner; empty: nowhere that holds. An autoscaled owner's maximum is raised with its minimum. */
export function replicasTo(site: Site, units: number, kept: KeptObjects): readonly Edit[] {
  if (site.units === 0 || site.workload?.kind === "DaemonSet" || units <= site.units) return [];
  const place = placeOf(site, "replicas", kept);
  if (!place.can) return [];
  const why =
    site.units === 1
      ? `${nameOfSite(site)} is one pod: two of it, so that one serves while the other moves.`
      : `One more of ${nameOfSite(site)}, so that all it needs serve while one moves.`;
  const { unitCost: unit } = site;
  const more = units - site.units;
  const base = {
    remedy: "replicas",
    aspect: "replicas",
    site: site.key,
    siteRef: site.hop.ref,
    value: units,
    ...{ holds: place.holds, manager: place.manager },
  } as const;
  return [
    {
      ...base,
      target: place.target,
      act: withMaximum(inWords(place.act(units)), kept.get(place.target), units),
      why: sentences(why, tradeOff(site), place.note),
      cost: {
        milliCpu: unit.milliCpu * more,
        memoryBytes: unit.memoryBytes * more,
        gpus: unit.gpus * more,
      },
    },
    ...alsoSaid(site, units, kept).map(({ target, act, why }) => ({ ...base, target, act, why, cost: noCost })),
  ];
}

/** The same number where it has to be said once more. */
function alsoSaid({ hop }: Site, units: number, kept: KeptObjects): readonly Pick<Edit, "target" | "act" | "why">[] {
  const knob = hop.knobs.replicas;
  if (knob.by !== "field" || knob.also === null) return [];
  const { target, path, why } = knob.also;
  const act: Act = { do: "set", fields: [{ path, value: units }] };
  return [{ target, act: withMaximum(act, kept.get(target), units), why }];
}

/** An annotation is text, whatever it says. */
function inWords(act: Act): Act {
  if (act.do !== "set") return act;
  return {
    do: "set",
    fields: act.fields.map(({ path, value }) => ({
      path,
      value: path.includes(".annotations[") ? String(value) : value,
    })),
  };
}

/** The maximum beside a minimum is raised with it. */
export function withMaximum(act: Act, owner: WireObject | undefined, units: number): Act {
  if (act.do !== "set" || owner === undefined) return act;
  const most = act.fields.flatMap(({ path }): readonly FieldEdit[] => {
    const beside = path
      .replace(/minReplica(s|Count)$/, "maxReplica$1")
      .replace(/\]\.replicas$/, "].maxReplicas")
      .replace(/\/min-scale"\]$/, '/max-scale"]');
    const value = beside === path ? undefined : valueAt(owner, pathSteps(beside));
    if (typeof value === "number") return value < units ? [{ path: beside, value: units }] : [];
    // An annotation: 0 is no maximum.
    const stated = typeof value === "string" && /^[1-9]\d*$/.test(value) ? Number(value) : units;
    return stated < units ? [{ path: beside, value: String(units) }] : [];
  });
  return { do: "set", fields: [...act.fields, ...most] };
}

function tradeOff({ hop }: Site): string {
  if (hop.hop !== "picker") return "";
  return hop.leaderElected
    ? "With leader election the second one stands by, never Ready; it takes over about 2 s after the leader stops."
    : "Each picker keeps its own view of the prefix caches: one that starts is cold, and routes less well for some minutes.";
}
