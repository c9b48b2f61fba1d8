import { findingRule, nameOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";

/** A pod nobody brings back; kubectl drain refuses its node, others delete it for good. Mirrors: kubectl drain's filters, 1.36. */
export const drainRefused = findingRule({
  name: "drain-refused",
  code: "HF026",
  title: "A bare pod on the path",
  explain: `A pod of the path has no controller. kubectl drain refuses its whole node without --force, and leaves the node cordoned with everything still on it; with --force, and under most actors, the pod is deleted and nothing ever brings it back.

Run it under a Deployment.

It is an error where a likely maintenance breaks or stalls through it, else a warning.`,
  messages: {
    bare: (f: { part: string; pod: string }) => ({
      message: `${f.pod} (${f.part}) has no controller: kubectl drain refuses its node, and once it is evicted nothing brings it back.`,
      remedy: "Run it under a Deployment.",
    }),
  },
  look: ({ stops }, say) =>
    stops.flatMap((stop) => {
      const pod = stop.pods.find(({ owner, mirror }) => owner === null && !mirror);
      if (pod === undefined) return [];
      const about = { severity: severityOf(stop.shown, "warning", "either") };
      return [say.of(stop, about, "bare", { part: nameOf(stop), pod: pod.key })];
    }),
});
