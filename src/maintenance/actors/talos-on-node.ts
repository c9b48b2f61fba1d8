import type { Actor } from "../actor.ts";
import { asksForEver, cordons, minuteMs, secondMs } from "../usual.ts";
import { talos } from "./talos.ts";

/** What a Talos node does by itself before it shuts down, resets or upgrades the old way. Mirrors siderolabs/talos, 2026-08-21. */
export const talosOnNode: Actor = {
  ...talos,
  name: "talos-on-node",
  title: "A Talos node by itself",
  description:
    "A Talos node told to shut down, reset or upgrade cordons itself and evicts with a grace of 60 s, whatever the pods ask for, leaving pods without a controller; " +
    "after five minutes it goes on and reboots with what is left on it.",
  close: cordons,
  closeWhen: "node",
  nodesAtOnce: "all",
  drain: {
    ...asksForEver,
    barePods: "skipped",
    graceSetMs: 60 * secondMs,
    holdsForMs: 5 * minuteMs,
    then: "stops-machine",
  },
  afterDrain: "reboots",
  onNodeFailure: "continues",
  signs: [],
  signals: ["spec.unschedulable"],
  levers: ["a budget, for five minutes"],
  changed: [],
  notModelled: [
    "the wait of up to one minute for the cordon to be seen",
    "its kubelet's graceful shutdown (30 s, 10 s critical) of what is left",
  ],
  sources: [
    {
      mark: "A",
      from: "siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer*.go, pkg/kubernetes, 2026-08-21",
    },
  ],
};
