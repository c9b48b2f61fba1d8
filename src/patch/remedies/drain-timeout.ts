import { isJsonObject } from "../../wire/fields.ts";
import { pathSteps, valueAt } from "../../wire/object-path.ts";
import { editAt, placeOf } from "../place.ts";
import { type Remedy, remedy } from "../remedy.ts";
import { longestRequestMs, nameOfSite } from "../site.ts";

/** What Envoy Gateway adds to the drain timeout for the pod's grace. */
const graceBeyondSeconds = 300;
/** Its drain timeout where none is stated. */
const unstatedSeconds = 60;

/** A proxy lets open streams run as long as its route promises. It changes no verdict: answers in flight finish. */
export const drainTimeout: Remedy = remedy({
  name: "drain-timeout",
  title: "a proxy that closes no stream early",
  propose(site, { kept }) {
    const { hop, template } = site;
    const needed = Math.ceil(longestRequestMs(site) / 1000);
    if (hop.hop !== "gateway" || template === null || needed === 0) return [];
    const place = placeOf(site, "drainTimeout", kept);
    if (!place.can) return [];
    const shutdown = valueAt(kept.get(place.target), pathSteps("spec.shutdown"));
    const isStated =
      isJsonObject(shutdown) && (shutdown["drainTimeout"] !== undefined || shutdown["max"] !== undefined);
    const now = isStated ? template.terminationGraceMs / 1000 - graceBeyondSeconds : unstatedSeconds;
    if (now >= needed) return [];
    const value = needed + graceBeyondSeconds;
    const why = `${nameOfSite(site)} closes open streams ${now} s after it is told to stop, and the route in front promises ${needed} s. A drain of its node may take that much longer.`;
    return [editAt(site, place, { remedy: "drain-timeout", aspect: "drainTimeout", value, why })];
  },
});
