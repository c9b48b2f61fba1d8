import { leastOfScaledObject } from "../../systems/autoscaling.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { refText } from "../knob-text.ts";
import type { Scene, Stop } from "../scene.ts";

/** An endpoint that is at zero by intent: not judged, and said so. */
export const scaledToZero = findingRule({
  name: "scaled-to-zero",
  code: "HF020",
  title: "Scaled to zero",
  explain: `All engines of the endpoint are wanted zero times, or the service says it is stopped. That is an intention, so the endpoint is not judged: there is nothing to take down. The first request after it waits for an engine to start, minutes for a large model, and finds none at all if the nodes are closed then.

An autoscaler that may go to zero (KEDA's minReplicaCount, which is 0 unless stated; a HorizontalPodAutoscaler with minReplicas 0) does the same at a quiet hour, which is when maintenance is done.

It is a note.`,
  messages: {
    mayBe: (f: { part: string; scaler: string; now: number }) => ({
      message: `${f.scaler} may take ${f.part} (${f.now} now) to zero: then nobody answers until a request has woken it and it is loaded, on nodes that may be closed.`,
      remedy: `Raise the minimum of ${f.scaler} to 2 for as long as the maintenance takes, or for good.`,
    }),
    idle: (f: { endpoint: string }) => ({
      message: `${f.endpoint} is scaled to zero: it is not judged, and its first request waits for an engine to start.`,
      remedy: "Before a maintenance, decide whether it may be woken meanwhile; a minimum of 1 keeps it up.",
    }),
  },
  look: (scene, say) => [
    ...scene.endpoints
      // Without weight its engines run.
      .filter(({ idle, unheeded }) => idle && unheeded.every(({ of }) => of !== null))
      .map(({ namespace, name, ref }) =>
        say.about(
          { severity: "note", endpoint: `${namespace}/${name}`, component: `${ref.kind} ${ref.namespace}/${ref.name}` },
          "idle",
          { endpoint: `${namespace}/${name}` },
        ),
      ),
    ...scene.stops.flatMap((stop) => {
      const scaler = stop.hop.needed && stop.units > 0 ? zeroScaler(scene, stop) : null;
      if (scaler === null) return [];
      return [
        say.of(stop, { severity: "note", quiet: true }, "mayBe", { part: nameOf(stop), scaler, now: stop.units }),
      ];
    }),
  ],
});

/** The autoscaler that may take the part to zero; null: none may. Mirrors: KEDA v2.18, whose HorizontalPodAutoscaler says 1 then. */
export function zeroScaler({ view, cluster }: Scene, { workload }: Stop): string | null {
  if (workload === null) return null;
  const scaler = view.autoscalers.find(({ target }) => target === workload.key);
  if (scaler === undefined) return null;
  const maker = scaler.owner === null ? undefined : cluster.others.get(scaler.owner);
  if (maker?.ref.kind === "ScaledObject") return leastOfScaledObject(maker) === 0 ? refText(maker.ref) : null;
  return scaler.minReplicas === 0 && !scaler.onlyUp ? refText(scaler.ref) : null;
}
