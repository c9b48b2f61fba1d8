import { groupNameLabel } from "../../model/labels.ts";
import { host, withHostTerm } from "../anti-affinity-form.ts";
import { sentences } from "../edit.ts";
import { editAt, placeOf } from "../place.ts";
import { type Remedy, remedy } from "../remedy.ts";
import { nameOfSite } from "../site.ts";

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
    const value = withHostTerm(place.now, {
      labelSelector: { matchLabels: { [groupNameLabel]: workload.ref.name } },
      mismatchLabelKeys: ["leaderworkerset.sigs.k8s.io/group-index"],
      topologyKey: host,
    });
    const why = `A node with pods of two groups of ${nameOfSite(site)} takes both groups with it.`;
    return [
      editAt(site, place, { remedy: "groups-apart", aspect: "affinity", value, why: sentences(why, place.note) }),
    ];
  },
});
