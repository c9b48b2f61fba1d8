import { isJsonList, isJsonObject } from "../../wire/fields.ts";
import { pathSteps, valueAt } from "../../wire/object-path.ts";
import type { Json } from "../../wire/snapshot.ts";
import { sentences } from "../edit.ts";
import { editAt, placeOf } from "../place.ts";
import { type Remedy, remedy } from "../remedy.ts";
import { nameOfSite } from "../site.ts";

const flag = "--ha-enable-leader-election";

/**
 * Pickers that all serve instead of one that leads and others that wait: no hand-over, and a budget that counts. Their
 * readiness is asked of each picker itself.
 */
export const activeActive: Remedy = remedy({
  name: "active-active",
  title: "pickers that all serve, without leader election",
  propose(site, { kept }) {
    const { made, workload, hop } = site;
    if (!hop.leaderElected || made === null || workload?.kind !== "Deployment") return [];
    const written = valueAt(made, pathSteps("spec.template.spec.containers"));
    if (!isJsonList(written)) return [];
    const place = placeOf(site, "containers", kept);
    if (!place.can) return [];
    const value = written.map(withoutElection);
    const why = `${nameOfSite(site)} elects a leader, and only that one is ever Ready: each move of it costs a hand-over, and no budget can guard it. Without the election all serve; each keeps its own view of the prefix caches.`;
    const remedy = "active-active";
    const serving = editAt(site, place, { remedy, aspect: "containers", value, why: sentences(why, place.note) });
    const strategy = placeOf(site, "strategy", kept);
    if (workload.strategy.type === "RollingUpdate" || !strategy.can) return [serving];
    const rolling = editAt(site, strategy, {
      remedy,
      aspect: "strategy",
      value: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      why: "Recreate stops every picker before the first new one starts: roll them one by one.",
    });
    return [serving, { ...rolling, holds: place.holds, manager: place.manager }];
  },
});

function withoutElection(container: Json): Json {
  if (!isJsonObject(container)) return container;
  const cut = (words: Json | undefined): readonly Json[] | undefined =>
    isJsonList(words)
      ? words.filter((word) => typeof word !== "string" || (word !== flag && !word.startsWith(`${flag}=`)))
      : undefined;
  const args = cut(container["args"]);
  const command = cut(container["command"]);
  return {
    ...container,
    ...(args === undefined ? {} : { args }),
    ...(command === undefined ? {} : { command }),
  };
}
