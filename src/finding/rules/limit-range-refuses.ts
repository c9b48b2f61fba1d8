import { type LimitRangeRefusal, refusingLimitRange } from "../../workload/limit-range.ts";
import { findingRule, labelOf, namesOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";
import type { Scene, Stop } from "../scene.ts";

/** A LimitRange that lets the pods of a part in no more. Mirrors: the LimitRanger admission plugin, 1.36. */
export const limitRangeRefuses = findingRule({
  name: "limit-range-refuses",
  code: "HF032",
  title: "A LimitRange that refuses the next pod",
  explain: `A LimitRange of the namespace bounds what one container or one pod may ask for, and the pods that run are beyond it: they were let in before it was made or changed. Nothing is wrong until one of them goes. Then its owner cannot make another, for good; the refusal stands in the owner's events alone, where few look.

Widen the LimitRange, or bring the part's resources within it, before any maintenance.

It is told once a LimitRange, with the parts whose pods it refuses. It is an error where a likely maintenance breaks the endpoint or stalls through one of them, else a warning.`,
  messages: {
    refused: (f: { range: string; parts: string; said: string; first: string }) => ({
      message: `LimitRange ${f.range} lets no new pod of ${f.parts} in: ${f.said}. Once one of those that run is gone, it does not come back.`,
      remedy: `Widen limit range ${f.range} to what the pods ask for, or bring the resources of ${f.first} within it.`,
    }),
  },
  look: (scene, say) => {
    const refused = [...scene.stops, ...scene.helpers].flatMap((stop) => {
      const refusal = refusalOf(scene, stop);
      return refusal === null ? [] : [{ stop, ...refusal }];
    });
    return [...Map.groupBy(refused, ({ range }) => range)].flatMap(([range, all]) => {
      const worst = all.find(({ stop }) => severityOf(stop.shown, "warning", "either") === "error") ?? all[0];
      if (worst === undefined) return [];
      const about = {
        severity: severityOf(worst.stop.shown, "warning", "either"),
        endpoint: endpointOf(worst.stop),
        component: `LimitRange ${range.ref.namespace}/${range.ref.name}`,
        evidence: all.map(({ stop, message }) => `${labelOf(stop)}: ${message}`),
        source: range.source,
      };
      const parts = namesOf(all.map(({ stop }) => stop));
      return [
        say.about(about, "refused", {
          ...{ range: range.ref.name, parts, said: worst.message },
          first: labelOf(worst.stop),
        }),
      ];
    });
  },
});

/** Of what its next pod is made from, or of its pods where only those tell; a pod nobody owns has no next. */
function refusalOf({ view }: Scene, { hop, template, pods }: Stop): LimitRangeRefusal | null {
  const next = template === null ? pods.flatMap((pod) => (pod.owner === null ? [] : [pod.template])) : [template];
  for (const each of next) {
    const refusal = refusingLimitRange(view, hop.ref.namespace, each);
    if (refusal !== null) return refusal;
  }
  return null;
}

function endpointOf({ endpoints: [first] }: Stop): string {
  return first === undefined ? "" : `${first.namespace}/${first.name}`;
}
