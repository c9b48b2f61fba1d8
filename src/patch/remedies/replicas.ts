import { pathSteps, valueAt } from "../../wire/object-path.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import type { Act, Edit } from "../edit.ts";
import type { KeptObjects } from "../kept-objects.ts";
import { placeOf } from "../place.ts";
import { type Remedy, remedy } from "../remedy.ts";
import { costOfUnit, nameOfSite, type Site } from "../site.ts";

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
  const unit = costOfUnit(site);
  const more = units - site.units;
  return [
    {
      remedy: "replicas",
      aspect: "replicas",
      site: site.key,
      siteRef: site.hop.ref,
      target: place.target,
      act: withMaximum(place.act(units), kept.get(place.target), units),
      value: units,
      holds: place.holds,
      manager: place.manager,
      why: [why, tradeOff(site), place.note].filter((sentence) => sentence !== "").join(" "),
      cost: {
        milliCpu: unit.milliCpu * more,
        memoryBytes: unit.memoryBytes * more,
        gpus: unit.gpus * more,
      },
    },
  ];
}

function withMaximum(act: Act, owner: WireObject | undefined, units: number): Act {
  if (act.do !== "set" || owner === undefined) return act;
  const most = act.fields.flatMap(({ path }) => {
    const beside = path.replace(/minReplica(s|Count)$/, "maxReplica$1");
    const value = beside === path ? undefined : valueAt(owner, pathSteps(beside));
    return typeof value === "number" && value < units ? [{ path: beside, value: units }] : [];
  });
  return { do: "set", fields: [...act.fields, ...most] };
}

function tradeOff({ hop }: Site): string {
  if (hop.hop !== "picker") return "";
  return hop.leaderElected
    ? "With leader election the second one stands by, never Ready; it takes over about 2 s after the leader stops."
    : "Each picker keeps its own view of the prefix caches: one that starts is cold, and routes less well for some minutes.";
}
