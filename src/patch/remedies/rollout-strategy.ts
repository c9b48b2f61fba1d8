import { editAt, placeOf } from "../place.ts";
import { type Remedy, remedy } from "../remedy.ts";
import { nameOfSite } from "../site.ts";

/** One goes before its successor comes: a rollout that finds no room for a pod more finishes all the same. */
export const rolloutStrategy: Remedy = remedy({
  name: "rollout-strategy",
  title: "roll out one after the other, without a pod more",
  propose(site, bench) {
    const { workload } = site;
    if (workload?.kind !== "Deployment" || bench.unitsAfter(site) < 2) return [];
    const { strategy } = workload;
    const isThere =
      strategy.type === "RollingUpdate" && strategy.maxSurge.value === 0 && !strategy.maxUnavailable.percent;
    if (isThere) return [];
    const place = placeOf(site, "strategy", bench.kept);
    if (!place.can) return [];
    const value = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
    const why = `A rollout of ${nameOfSite(site)} finds no room for a pod more: one goes, then its successor comes. While it rolls, one unit less serves.`;
    return [editAt(site, place, { remedy: "rollout-strategy", aspect: "strategy", value, why })];
  },
});
