import { matches } from "../model/labels.ts";
import { isJsonList, isJsonObject } from "../wire/fields.ts";
import { pathSteps, valueAt } from "../wire/object-path.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import { noCost } from "./edit.ts";
import { placeOf } from "./place.ts";
import { type Remedy, remedy } from "./remedy.ts";
import { nameOfSite, type Site } from "./site.ts";

const host = "kubernetes.io/hostname";

/** Required pod anti-affinity by host in place of any other by host, over labels the pods really carry. */
export function antiAffinityForm(name: string, title: string, keys: readonly string[]): Remedy {
  return remedy({
    name,
    title,
    propose(site, { kept }) {
      const { workload, selector, template } = site;
      if (selector === null || template === null || workload === null) return [];
      if (workload.kind !== "Deployment" && workload.kind !== "StatefulSet") return [];
      if (keys.length > 0 && workload.kind !== "Deployment") return [];
      if (keepsApart(site) && keys.length === 0) return [];
      const place = placeOf(site, "affinity", kept);
      if (!place.can) return [];
      const term: JsonObject = {
        labelSelector: selector,
        topologyKey: host,
        ...(keys.length === 0 ? {} : { matchLabelKeys: [...keys] }),
      };
      const required = "requiredDuringSchedulingIgnoredDuringExecution";
      const now = written(site);
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

function written({ made }: Site): JsonObject {
  const value = made === null ? undefined : valueAt(made, pathSteps("spec.template.spec.affinity.podAntiAffinity"));
  return isJsonObject(value) ? value : {};
}

function terms(value: Json | undefined): readonly Json[] {
  return isJsonList(value) ? value : [];
}
