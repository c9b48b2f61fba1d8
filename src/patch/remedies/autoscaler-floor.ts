import { editAt, placeOf } from "../place.ts";
import { type Remedy, remedy } from "../remedy.ts";
import { nameOfSite } from "../site.ts";
import { withMaximum } from "./replicas.ts";

/** Where several run only as long as the load asks for them: the least that the autoscaler leaves is what a maintenance meets. */
export const autoscalerFloor: Remedy = remedy({
  name: "autoscaler-floor",
  title: "two of it at quiet hours too",
  propose(site, { view, kept }) {
    const scaler = view.autoscalers.find(({ target }) => target === site.workload?.key);
    if (site.units < 2 || scaler === undefined || scaler.onlyUp || scaler.minReplicas >= 2) return [];
    const place = placeOf(site, "replicas", kept);
    if (!place.can) return [];
    const act = withMaximum(place.act(2), kept.get(place.target), 2);
    // Elsewhere the autoscaler would undo it; what may go to zero goes there by intent.
    const isMinimum = act.do === "set" && act.fields.some(({ path }) => /\bmin[A-Z]\w*$/.test(path));
    if (!isMinimum || place.now === 0) return [];
    const why = `The autoscaler may take ${nameOfSite(site)} down to one pod at a quiet hour, which is when maintenance is done: with two at the least, one serves while the other moves. Both then run, and cost, at all hours.`;
    return [
      editAt(site, { ...place, act: () => act }, { remedy: "autoscaler-floor", aspect: "replicas", value: 2, why }),
    ];
  },
});
