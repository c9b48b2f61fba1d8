import { templateHashLabel } from "../model/labels.ts";
import { isJsonList, isJsonObject } from "../wire/fields.ts";
import { pathSteps, valueAt } from "../wire/object-path.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import { sentences } from "./edit.ts";
import { editAt, placeOf } from "./place.ts";
import { type Remedy, remedy } from "./remedy.ts";
import { nameOfSite, type Site } from "./site.ts";

const host = "kubernetes.io/hostname";

/** A topology spread by host that replaces any other by host; the forms differ in whom they bar. */
export function spreadForm(name: string, title: string, form: JsonObject): Remedy {
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
        matchLabelKeys: [templateHashLabel],
      };
      const others = written(site).filter((each) => !isJsonObject(each) || each["topologyKey"] !== host);
      const value: Json = [...others, constraint];
      const why = `The pods of ${nameOfSite(site)} should not stand on one node: what takes it would take them all.`;
      return [editAt(site, place, { remedy: name, aspect: "spread", value, why: sentences(why, place.note) })];
    },
  });
}

/** Constraints the workload has today. */
function written({ made }: Site): readonly Json[] {
  const value = made === null ? undefined : valueAt(made, pathSteps("spec.template.spec.topologySpreadConstraints"));
  return isJsonList(value) ? value : [];
}
