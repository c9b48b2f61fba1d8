import type { PodTemplate } from "../../model/pod-template.ts";
import { findingRule, nameOf } from "../finding-rule.ts";

/** A generation may run for a minute; what is left of the grace after preStop is all it gets. */
const streamMs = 30_000;

/** preStop runs inside the grace period. Mirrors: the kubelet's termination, 1.36. */
export const shortGrace = findingRule({
  name: "short-grace",
  code: "HF023",
  title: "A grace period shorter than a stream",
  explain: `A pod that is told to stop has its terminationGracePeriodSeconds, and a preStop hook runs inside them: 30 seconds of grace with a preStop of 15 leave 15 seconds for the answers in flight, then they are cut. Generations of large models run for minutes.

The route in front may say how long an answer may take (timeouts.request of an HTTPRoute): a grace that leaves less than that cuts answers that were promised.

Set the grace to preStop plus the longest answer you promise. An actor that limits the grace of a drain cuts it all the same.

It is a warning where preStop uses up the whole grace, else a note: requests in flight are cut, new ones go elsewhere.`,
  messages: {
    cutsAllowed: (f: { part: string; leftSeconds: number; timeoutSeconds: number }) => ({
      message: `${f.part} gives answers in flight ${f.leftSeconds} s when it is told to stop, but the route in front allows a request ${f.timeoutSeconds} s: the longest are cut.`,
      remedy: `Set terminationGracePeriodSeconds to the preStop plus ${f.timeoutSeconds} s, or shorten timeouts.request of the route.`,
    }),
    eaten: (f: { part: string; graceSeconds: number; preStopSeconds: number; leftSeconds: number }) => ({
      message: `${f.part} has ${f.graceSeconds} s of grace and a preStop of ${f.preStopSeconds} s in it: ${f.leftSeconds} s are left for answers in flight.`,
      remedy: "Set terminationGracePeriodSeconds to the preStop plus the longest answer you promise.",
    }),
  },
  look: ({ stops }, say) =>
    stops.flatMap((stop) => {
      const { template, hop } = stop;
      if (template === null || (hop.hop !== "engine" && hop.hop !== "gateway" && hop.hop !== "router")) return [];
      const preStopMs = longestPreStop(template);
      const leftMs = template.terminationGraceMs - preStopMs;
      const allowedMs = Math.max(0, ...stop.endpoints.map(({ requestTimeoutMs }) => requestTimeoutMs ?? 0));
      if (preStopMs === 0 || leftMs >= streamMs) {
        if (leftMs >= allowedMs) return [];
        const facts = { part: nameOf(stop), leftSeconds: leftMs / 1000, timeoutSeconds: allowedMs / 1000 };
        return [say.of(stop, { severity: "note", quiet: true }, "cutsAllowed", facts)];
      }
      const facts = {
        part: nameOf(stop),
        graceSeconds: template.terminationGraceMs / 1000,
        preStopSeconds: preStopMs / 1000,
        leftSeconds: Math.max(0, leftMs) / 1000,
      };
      return [say.of(stop, { severity: leftMs <= 0 ? "warning" : "note", quiet: true }, "eaten", facts)];
    }),
});

/** Hooks of unknown length count as none. */
function longestPreStop({ containers }: PodTemplate): number {
  return Math.max(0, ...containers.map(({ preStopMs }) => preStopMs ?? 0));
}
