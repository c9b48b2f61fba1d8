import { listed } from "../../base/listed.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Endpoint } from "../../systems/endpoint.ts";
import { findingRule, labelOf, nameOf, namesOf } from "../finding-rule.ts";
import { refText } from "../knob-text.ts";

/** A generation may run for a minute; what is left of the grace after preStop is all it gets. */
const streamMs = 30_000;

/** preStop runs inside the grace period. Mirrors: the kubelet's termination, 1.36. */
export const shortGrace = findingRule({
  name: "short-grace",
  code: "HF023",
  title: "A grace period shorter than a stream",
  explain: `A pod that is told to stop has its terminationGracePeriodSeconds (30 unless stated), and a preStop hook runs inside them: 30 seconds of grace with a preStop of 15 leave 15 seconds for the answers in flight, then they are cut. Less than 30 seconds are told of. Generations of large models run for minutes.

The route in front may say how long an answer may take (timeouts.request of an HTTPRoute): a grace that leaves less than that cuts answers that were promised.

Set the grace to preStop plus the longest answer you promise. An actor that limits the grace of a drain cuts it all the same.

It is a warning where nothing is left for answers, else a note: requests in flight are cut, new ones go elsewhere. What a route promises is told once for each endpoint.`,
  messages: {
    cutsAllowed: (f: { parts: string; timeoutSeconds: number; endpoint: string }) => ({
      message: `The route to ${f.endpoint} allows a request ${f.timeoutSeconds} s, but ${f.parts} stop${f.parts.includes(",") ? "" : "s"} sooner when told to: the longest answers are cut.`,
      remedy: `Set terminationGracePeriodSeconds of each to its preStop plus ${f.timeoutSeconds} s, or shorten timeouts.request of the route.`,
    }),
    brief: (f: { part: string; graceSeconds: number }) => ({
      message: `${f.part} has ${f.graceSeconds} s of grace when it is told to stop: answers that take longer are cut.`,
      remedy: "Set terminationGracePeriodSeconds to the longest answer you promise.",
    }),
    eaten: (f: { part: string; graceSeconds: number; preStopSeconds: number; leftSeconds: number }) => ({
      message: `${f.part} has ${f.graceSeconds} s of grace and a preStop of ${f.preStopSeconds} s in it: ${f.leftSeconds} s are left for answers in flight.`,
      remedy: "Set terminationGracePeriodSeconds to the preStop plus the longest answer you promise.",
    }),
  },
  look: (scene, say) => {
    const carriers = scene.stops.flatMap((stop) => {
      const { template, hop } = stop;
      if (template === null || (hop.hop !== "engine" && hop.hop !== "gateway" && hop.hop !== "router")) return [];
      const preStopMs = longestPreStop(template);
      return [
        { stop, preStopMs, graceMs: template.terminationGraceMs, leftMs: template.terminationGraceMs - preStopMs },
      ];
    });
    const short = carriers.filter(({ leftMs }) => leftMs < streamMs);
    const patient = new Map<Endpoint, (typeof carriers)[number][]>();
    for (const one of carriers)
      if (one.leftMs >= streamMs) for (const endpoint of new Set(one.stop.endpoints)) listed(patient, endpoint, one);
    return [
      ...short.map(({ stop, preStopMs, graceMs, leftMs }) => {
        const about = { severity: leftMs <= 0 ? ("warning" as const) : ("note" as const), quiet: true };
        if (preStopMs === 0) return say.of(stop, about, "brief", { part: nameOf(stop), graceSeconds: graceMs / 1000 });
        const facts = {
          part: nameOf(stop),
          graceSeconds: graceMs / 1000,
          preStopSeconds: preStopMs / 1000,
          leftSeconds: Math.max(0, leftMs) / 1000,
        };
        return say.of(stop, about, "eaten", facts);
      }),
      // One route's promise, told once with everything that stops before it.
      ...scene.endpoints.flatMap((endpoint) => {
        const allowedMs = endpoint.requestTimeoutMs ?? 0;
        const early = (patient.get(endpoint) ?? []).filter(({ leftMs }) => leftMs < allowedMs);
        if (early.length === 0) return [];
        const { namespace, name, ref } = endpoint;
        const stops = early.map(({ stop }) => stop);
        const [only, second] = stops;
        const about = {
          severity: "note" as const,
          endpoint: `${namespace}/${name}`,
          component: only !== undefined && second === undefined ? labelOf(only) : refText(ref),
          evidence: early.map(({ stop, leftMs }) => `${labelOf(stop)} leaves ${leftMs / 1000} s`),
          source: only?.workload?.source ?? null,
        };
        const facts = { parts: namesOf(stops), timeoutSeconds: allowedMs / 1000, endpoint: about.endpoint };
        return [say.about(about, "cutsAllowed", facts)];
      }),
    ];
  },
});

/** Hooks of unknown length count as none. */
function longestPreStop({ containers }: PodTemplate): number {
  return Math.max(0, ...containers.map(({ preStopMs }) => preStopMs ?? 0));
}
