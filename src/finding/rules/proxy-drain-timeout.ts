import { parseDuration } from "../../base/duration.ts";
import { objectKey } from "../../model/key.ts";
import { Fields } from "../../wire/fields.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { refText } from "../knob-text.ts";
import type { Scene, Stop } from "../scene.ts";

/** Envoy Gateway's own default. */
const envoyDrainMs = 60_000;

/**
 * A proxy that is told to stop lets streams run for its drain timeout, then closes them; its pod's grace has to be longer.
 * Mirrors: Envoy Gateway v1.9 (EnvoyProxy spec.shutdown.drainTimeout, 60 s unless stated; it sets the grace to 300 s more)
 * and agentgateway v1.4 (AgentgatewayParameters spec.shutdown.max).
 */
export const proxyDrainTimeout = findingRule({
  name: "proxy-drain-timeout",
  code: "HF031",
  title: "A proxy that closes streams early",
  explain: `A gateway proxy that is told to stop takes no new connections and lets the open ones run for its drain timeout: 60 seconds at Envoy Gateway, unless EnvoyProxy spec.shutdown.drainTimeout says otherwise. Answers still streaming then are cut, also with two proxies: the other one serves new requests, not those in flight.

The route in front says how long a request may take (timeouts.request). Where that is longer than the drain timeout, a drain of the proxy's node cuts answers that were promised. And the pod's grace has to exceed the drain timeout, or the kubelet ends the proxy first; Envoy Gateway sees to that unless somebody patched it.

It is a note where answers are cut, a warning where the grace ends first.`,
  messages: {
    closesEarly: (f: { part: string; drainSeconds: number; timeoutSeconds: number; where: string }) => ({
      message: `${f.part} closes streams ${f.drainSeconds} s after it is told to stop, but the route in front allows a request ${f.timeoutSeconds} s: the longest are cut at every drain of its node.`,
      remedy: `Set ${f.where} to ${f.timeoutSeconds}s.`,
    }),
    graceFirst: (f: { part: string; drainSeconds: number; graceSeconds: number; where: string }) => ({
      message: `${f.part} wants ${f.drainSeconds} s to drain and has ${f.graceSeconds} s of grace: it is killed before it has drained.`,
      remedy: `Raise terminationGracePeriodSeconds above ${f.drainSeconds} s, or lower ${f.where}.`,
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      const drain = stop.hop.hop === "gateway" ? drainOf(scene, stop) : null;
      if (drain === null || stop.template === null) return [];
      const { where, drainMs } = drain;
      const graceMs = stop.template.terminationGraceMs;
      const facts = { part: nameOf(stop), drainSeconds: drainMs / 1000, where };
      if (graceMs < drainMs)
        return [
          say.of(stop, { severity: "warning", quiet: true }, "graceFirst", { ...facts, graceSeconds: graceMs / 1000 }),
        ];
      const allowedMs = Math.max(0, ...stop.endpoints.map(({ requestTimeoutMs }) => requestTimeoutMs ?? 0));
      if (allowedMs <= drainMs) return [];
      const timeoutSeconds = allowedMs / 1000;
      return [say.of(stop, { severity: "note", quiet: true }, "closesEarly", { ...facts, timeoutSeconds })];
    }),
});

/** Null: the settings were not read, or the proxy has no such limit. */
function drainOf({ cluster }: Scene, { hop }: Stop): { readonly where: string; readonly drainMs: number } | null {
  const settings = hop.owner === null ? undefined : cluster.others.get(objectKey(hop.owner));
  if (settings === undefined) return null;
  const shutdown = Fields.of(settings.body, () => {})
    .object("spec")
    .object("shutdown");
  switch (settings.ref.kind) {
    case "EnvoyProxy": {
      const stated = parseDuration(shutdown.text("drainTimeout"));
      return { where: `spec.shutdown.drainTimeout of ${refText(settings.ref)}`, drainMs: stated ?? envoyDrainMs };
    }
    case "AgentgatewayParameters": {
      const seconds = shutdown.count("max");
      return seconds === null
        ? null
        : { where: `spec.shutdown.max of ${refText(settings.ref)}`, drainMs: seconds * 1000 };
    }
    default:
      return null;
  }
}
