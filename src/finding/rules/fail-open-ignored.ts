import { Fields } from "../../wire/fields.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import type { Scene, Stop } from "../scene.ts";

/** The pool says FailOpen; the gateway in front is not known to care. */
export const failOpenIgnored = findingRule({
  name: "fail-open-ignored",
  code: "HF016",
  title: "failureMode FailOpen that the gateway ignores",
  explain: `The InferencePool says failureMode FailOpen: without a picker the gateway should choose an engine itself. Whether it does is the gateway's decision. Istio and agentgateway do; Envoy AI Gateway does not, its filter fails the request whatever the pool says; of others it is not known, and Holdfast counts the picker as needed.

Trust FailOpen only where you have seen it work: stop the picker in a test and send a request.

It is a note: whether the endpoint breaks through its pickers is told of them (HF001, HF002, HF012).`,
  messages: {
    ignored: (f: { part: string; pool: string; because: string }) => ({
      message: `InferencePool ${f.pool} says FailOpen, but ${f.part} is needed all the same. ${f.because}`,
      remedy: "Run two pickers on different nodes, or a gateway that honours FailOpen.",
    }),
  },
  look: (scene, say) =>
    scene.stops
      .filter(({ hop }) => hop.hop === "picker" && hop.needed)
      .flatMap((stop) => {
        const pool = openPoolOf(scene, stop);
        if (pool === null) return [];
        const facts = { part: nameOf(stop), pool, because: stop.hop.neededBecause };
        return [say.of(stop, { severity: "note" }, "ignored", facts)];
      }),
});

/** A pool that fails open and names this picker's Service; null: none. */
function openPoolOf({ cluster }: Scene, { hop }: Stop): string | null {
  for (const { ref, body } of cluster.others.values()) {
    if (ref.kind !== "InferencePool") continue;
    const picker = Fields.of(body, () => {})
      .object("spec")
      .object("endpointPickerRef");
    const service = `${ref.namespace}/${picker.text("name")}`;
    if (service === hop.service && picker.text("failureMode") === "FailOpen") return `${ref.namespace}/${ref.name}`;
  }
  return null;
}
