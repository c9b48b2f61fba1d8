import type { Actor } from "../actor.ts";
import { asksForEver, cordons, minuteMs } from "../usual.ts";

/** `talosctl upgrade -n NODE…`, which drains from the outside. Mirrors siderolabs/talos, 2026-08-21. */
export const talos: Actor = {
  name: "talos",
  title: "talosctl upgrade (Talos)",
  description:
    "talosctl cordons and drains all named nodes in parallel, for five minutes and without a pause between tries; only when all are empty they " +
    "reboot, together, and are uncordoned when Ready. One drain that fails aborts: no node reboots, and all stay cordoned.",
  kind: "maintains",
  close: cordons,
  closeWhen: "all",
  marks: [],
  nodesAtOnce: "all",
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, retryMs: 0, holdsForMs: 5 * minuteMs, then: "fails", onError: "fails" },
  afterDrain: "reboots-together",
  nodeDownMs: 4 * minuteMs,
  onNodeFailure: "continues",
  signs: [{ on: "osImage", prefix: "Talos" }],
  signals: ["spec.unschedulable on all named nodes at once"],
  levers: [
    "a budget, for --drain-timeout (5 minutes); the abort leaves the node cordoned",
    "naming one node at a time",
  ],
  changed: [
    {
      what: "pause between tries of a refused eviction",
      from: "5 s",
      to: "none, as fast as the client may",
      at: "built with kubectl 0.35 or later",
    },
  ],
  notModelled: ["talosctl reboot drains only when asked to; talos-on-node plays what the node does by itself"],
  sources: [
    {
      mark: "A",
      from: "siderolabs/talos cmd/talosctl/pkg/talos/nodedrain, 2026-08-21; siderolabs/go-kubernetes kubernetes/nodedrain, 2026-07-15",
    },
  ],
};
