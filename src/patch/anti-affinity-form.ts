import { matches } from "../model/labels.ts";
import { isJsonList, isJsonObject } from "../wire/fields.ts";
import { pathSteps, valueAt } from "../wire/object-path.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import { noCost } from "./edit.ts";
import { placeOf } from "./place.ts";
import { type Remedy, remedy } from "./remedy.ts";
import { generationLabel, nameOfSite, type Site } from "./site.ts";

const host = "kubernetes.io/hostname";

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
      const required = "requiredDuringSchedulingIgnoredDuringExecution";
      const now = written(site, place.now);
      const others = terms(now[required]).filter((each) => !isJsonObject(each) || each["topologyKey"] !== host);
      const value: Json = { ...now, [required]: [...others, term] };
      const idle =
        template.requiredPodAntiAffinity.some(({ topologyKey }) => topologyKey === host) && !keepsApart(site);
      const why = idle
        ? `The anti-affinity of ${nameOfSite(site)} selects a label that none of its own pods carries: it keeps nothing apart.`
        : `The pods of ${nameOfSite(site)} should not stand on one node: what takes it would take them all.`;
      return [
        {
          remedy: name,
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
}

/** A required term by host that takes its own pods is there. */
function keepsApart({ template }: Site): boolean {
  if (template === null) return false;
  return template.requiredPodAntiAffinity.some(
    ({ topologyKey, selector }) => topologyKey === host && selector !== null && matches(selector, template.labels),
  );
}

/** What the workload has today; an owner of pods of several kinds says it where the change is made. */
function written({ made, workload }: Site, stated: Json | undefined): JsonObject {
  const own = made === null ? undefined : valueAt(made, pathSteps("spec.template.spec.affinity.podAntiAffinity"));
  const value = workload?.kind === "Other" ? stated : own;
  return isJsonObject(value) ? value : {};
}

function terms(value: Json | undefined): readonly Json[] {
  return isJsonList(value) ? value : [];
}
