import { isJsonList, isJsonObject } from "../../wire/fields.ts";
import { pathSteps, valueAt } from "../../wire/object-path.ts";
import type { Json, JsonObject } from "../../wire/snapshot.ts";
import { noCost } from "../edit.ts";
import { placeOf } from "../place.ts";
import { type Remedy, remedy } from "../remedy.ts";
import { nameOfSite, type Site } from "../site.ts";

const host = "kubernetes.io/hostname";
const hash = "pod-template-hash";

/**
 * Counts only nodes the pods may use, and only pods of the same generation: its own rollout finishes. After a maintenance that
 * closes all its nodes at once the pods may pile up on the first one back.
 */
export const spreadHonor: Remedy = spread("spread-honor", "one pod a node, over nodes the pods tolerate", {
  whenUnsatisfiable: "DoNotSchedule",
  nodeTaintsPolicy: "Honor",
});

/**
 * Tainted nodes count as empty places, so that no node takes a second pod: a replacement waits for a free node and the
 * pods end apart again. Bars more replicas than nodes.
 */
export const spreadKeys: Remedy = spread("spread-keys", "one pod a node, always", {
  whenUnsatisfiable: "DoNotSchedule",
});

/** A wish only: never in the way of a rollout, and not always granted. */
export const spreadAnyway: Remedy = spread("spread-anyway", "apart where that is easy", {
  whenUnsatisfiable: "ScheduleAnyway",
});

function spread(name: string, title: string, form: JsonObject): Remedy {
  return remedy({
    name,
    title,
    propose(site, { kept }) {
      const { workload, selector } = site;
      if (selector === null || workload?.kind !== "Deployment") return [];
      const place = placeOf(site, "spread", kept);
      if (!place.can) return [];
      const constraint: JsonObject = {
        maxSkew: 1,
        topologyKey: host,
        ...form,
        labelSelector: selector,
        matchLabelKeys: [hash],
      };
      const others = written(site).filter((each) => !isJsonObject(each) || each["topologyKey"] !== host);
      const value: Json = [...others, constraint];
      return [
        {
          remedy: name,
          aspect: "spread",
          site: site.key,
          siteRef: site.hop.ref,
          target: place.target,
          act: place.act(value),
          value,
          holds: place.holds,
          manager: place.manager,
          why: `The pods of ${nameOfSite(site)} should not stand on one node: what takes it would take them all.${place.note === "" ? "" : ` ${place.note}`}`,
          cost: noCost,
        },
      ];
    },
  });
}

/** Constraints the workload has today. */
function written({ made }: Site): readonly Json[] {
  const value = made === null ? undefined : valueAt(made, pathSteps("spec.template.spec.topologySpreadConstraints"));
  return isJsonList(value) ? value : [];
}
