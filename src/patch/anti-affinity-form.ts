import { matches } from "../model/labels.ts";
import { isJsonList, isJsonObject } from "../wire/fields.ts";
import { pathSteps, valueAt } from "../wire/object-path.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import { sentences } from "./edit.ts";
import { editAt, placeOf } from "./place.ts";
import { type Remedy, remedy } from "./remedy.ts";
import { generationLabel, nameOfSite, type Site } from "./site.ts";

export const host = "kubernetes.io/hostname";
const required = "requiredDuringSchedulingIgnoredDuringExecution";

/** Required pod anti-affinity by host in place of any other by host, over labels the pods really carry. */
export function antiAffinityForm(name: string, title: string, keys: readonly string[]): Remedy {
  return remedy({
    name,
    title,
    propose(site, { kept }) {
      const { workload, selector, template } = site;
      if (selector === null || template === null || workload === null) return [];
      if (workload.kind !== "Deployment" && workload.kind !== "StatefulSet" && workload.kind !== "Other") return [];
      if (keys.length > 0 && workload.kind !== "Deployment") return [];
      if (keepsApart(site) && keys.length === 0) return [];
      const place = placeOf(site, "affinity", kept);
      if (!place.can) return [];
      // Where a whole next generation starts beside this one, each keeps apart within itself.
      const generation = generationLabel(site.hop);
      const among = generation === "" ? keys : [generation];
      const term: JsonObject = {
        labelSelector: selector,
        topologyKey: host,
        ...(among.length === 0 ? {} : { matchLabelKeys: [...among] }),
      };
      const value = withHostTerm(written(site, place.now), term);
      const idle =
        template.requiredPodAntiAffinity.some(({ topologyKey }) => topologyKey === host) && !keepsApart(site);
      const why = idle
        ? `The anti-affinity of ${nameOfSite(site)} selects a label that none of its own pods carries: it keeps nothing apart.`
        : `The pods of ${nameOfSite(site)} should not stand on one node: what takes it would take them all.`;
      return [editAt(site, place, { remedy: name, aspect: "affinity", value, why: sentences(why, place.note) })];
    },
  });
}

/** A required term by host that takes its own pods is there. */
function keepsApart({ template }: Site): boolean {
  if (template === null) return false;
  return template.requiredPodAntiAffinity.some(
    ({ topologyKey, selector }) => topologyKey === host && selector !== null && matches(selector, template.labels),
  );
}

/** What the workload has today; an owner of pods of several kinds says it where the change is made. */
function written({ made, workload }: Site, stated: Json | undefined): Json | undefined {
  const own = made === null ? undefined : valueAt(made, pathSteps("spec.template.spec.affinity.podAntiAffinity"));
  return workload?.kind === "Other" ? stated : own;
}

/** A pod anti-affinity with this required term by host in place of any other by host. */
export function withHostTerm(written: Json | undefined, term: JsonObject): JsonObject {
  const now = isJsonObject(written) ? written : {};
  const terms = now[required];
  const others = (isJsonList(terms) ? terms : []).filter((each) => !isJsonObject(each) || each["topologyKey"] !== host);
  return { ...now, [required]: [...others, term] };
}
