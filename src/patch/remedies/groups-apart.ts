import { isJsonList, isJsonObject } from "../../wire/fields.ts";
import type { Json, JsonObject } from "../../wire/snapshot.ts";
import { noCost } from "../edit.ts";
import { placeOf } from "../place.ts";
import { type Remedy, remedy } from "../remedy.ts";
import { nameOfSite } from "../site.ts";

const host = "kubernetes.io/hostname";
const required = "requiredDuringSchedulingIgnoredDuringExecution";

/**
 * No node has pods of two groups of one set, so that a drain of it takes one group. Pods of one group may share a node, which
 * anti-affinity over all of the set would forbid, and which exclusive topology by host would demand.
 */
export const groupsApart: Remedy = remedy({
  name: "groups-apart",
  title: "no pods of two groups on one node, required",
  propose(site, { kept }) {
    const { workload } = site;
    if (workload?.kind !== "LeaderWorkerSet" || workload.exclusiveTopologyKey !== null) return [];
    const place = placeOf(site, "affinity", kept);
    if (!place.can) return [];
    const term: JsonObject = {
      labelSelector: { matchLabels: { "leaderworkerset.sigs.k8s.io/name": workload.ref.name } },
      mismatchLabelKeys: ["leaderworkerset.sigs.k8s.io/group-index"],
      topologyKey: host,
    };
    const now = isJsonObject(place.now) ? place.now : {};
    const others = terms(now[required]).filter((each) => !isJsonObject(each) || each["topologyKey"] !== host);
    const value: Json = { ...now, [required]: [...others, term] };
    const why = `A node with pods of two groups of ${nameOfSite(site)} takes both groups with it.`;
    return [
      {
        remedy: "groups-apart",
        aspect: "affinity",
        site: site.key,
        siteRef: site.hop.ref,
        target: place.target,
        act: place.act(value),
        value,
        holds: place.holds,
        manager: place.manager,
        why: place.note === "" ? why : `${why} ${place.note}`,
        cost: noCost,
      },
    ];
  },
});

function terms(value: Json | undefined): readonly Json[] {
  return isJsonList(value) ? value : [];
}
