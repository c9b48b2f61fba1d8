import { ownToo } from "../../route/webhooks.ts";
import { isSetUpWell } from "../closing.ts";
import type { Severity } from "../finding.ts";
import { findingRule, labelOf, nameOf } from "../finding-rule.ts";
import { replicasText } from "../knob-text.ts";
import type { Shown } from "../outcome.ts";

/** A webhook that fails closed, answered by one pod, in the way of the path's replacements. */
export const webhookSingle = findingRule({
  name: "webhook-single",
  code: "HF017",
  title: "An admission webhook behind a single pod",
  explain: `A webhook with failurePolicy Fail sees every new pod of a part on the path, and one pod answers it. While that pod is gone the API server refuses the part's pods: those running serve on, but an evicted one is not replaced until the webhook is back. A drain that takes both leaves the part waiting for the webhook first and for its own start after.

Envoy AI Gateway's controller is one (gateway proxies), KServe's controller another (predictors), LeaderWorkerSet's a third (group pods).

One that sees its own pods too refuses its own replacement: once its only pod is evicted it is gone until a person deletes its configuration.

Run two webhook pods on different nodes, and leave their own namespace out of the webhook. It is a warning where a part behind the webhook that is itself set up well breaks or stalls in a likely maintenance, else a note.`,
  messages: {
    single: (f: { part: string; because: string; remedy: string }) => ({
      message: `${f.part} is one pod. ${f.because}`,
      remedy: f.remedy,
    }),
  },
  look: ({ helpers, stops }, say) =>
    helpers
      .filter(({ hop, units }) => hop.hop === "webhook" && units === 1)
      .map((helper) => {
        const named = helper.hop.neededBecause.split(/[\s,]+/);
        const behind = stops.filter(({ hop }) => named.includes(hop.ref.name));
        const broken = behind.some((stop) => isSetUpWell(stop) && hurt(stop.shown).length > 0);
        const severity: Severity = broken ? "warning" : "note";
        const about = {
          severity,
          endpoint: "",
          component: labelOf(helper),
          evidence: behind.map((stop) => `in the way of ${labelOf(stop)}`),
          source: helper.workload?.source ?? null,
        };
        const raise = replicasText(helper.hop.knobs.replicas, 2);
        const remedy = helper.hop.neededBecause.endsWith(ownToo)
          ? `Leave its own pods out of it (namespaceSelector or objectSelector): once it is gone it refuses its replacement, for good. And: ${raise}`
          : raise;
        return say.about(about, "single", { part: nameOf(helper), because: helper.hop.neededBecause, remedy });
      }),
});

function hurt({ broke, stalled }: Shown): readonly string[] {
  return [...broke, ...stalled];
}
