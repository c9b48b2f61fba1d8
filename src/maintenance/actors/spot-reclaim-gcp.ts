import type { Actor } from "../actor.ts";
import { minuteMs, secondMs } from "../usual.ts";
import { gracefulShutdown } from "./graceful-shutdown.ts";

/** A spot machine taken back by Google: 30 s, which GKE's kubelet splits between normal and critical pods. */
export const spotReclaimGcp: Actor = {
  ...gracefulShutdown,
  name: "spot-reclaim-gcp",
  title: "Spot reclaim, GCP",
  description:
    "Google takes a spot machine back with 30 s of notice: on GKE the kubelet gives normal pods 15 s and critical ones the other 15 s, asks no budget, and the machine is gone.",
  drain: {
    ...gracefulShutdown.drain,
    graceMaxMs: 15 * secondMs,
    holdsForMs: 30 * secondMs,
  },
  afterDrain: "lost",
  nodeDownMs: minuteMs,
  signs: [
    { on: "nodeLabel", key: "cloud.google.com/gke-spot", value: "true" },
    { on: "nodeLabel", key: "cloud.google.com/gke-preemptible", value: "true" },
  ],
  signals: ["node not Ready; pods Failed"],
  levers: ["none; the notice can be extended to 120 s on standard pools since 1.35.0-gke.1171000"],
  changed: [{ what: "the notice on GKE", from: "30 s", to: "up to 120 s if extended", at: "1.35.0-gke.1171000" }],
  notModelled: ["the extended notice", "a new machine in its place: none comes here"],
  sources: [{ mark: "B", from: "GKE documentation: spot machines, 2026-08" }],
};
