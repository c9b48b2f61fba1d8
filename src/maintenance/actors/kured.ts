import type { Actor } from "../actor.ts";
import { asksForEver, cordons, minuteMs } from "../usual.ts";

/** kured rebooting nodes that ask for it. Mirrors kubereboot/kured, 2026-08-10. */
export const kured: Actor = {
  name: "kured",
  title: "kured",
  description:
    "A DaemonSet that reboots nodes with /var/run/reboot-required, one at a time under a lock: cordons, drains for ever and without a pause between tries, " +
    "reboots, uncordons. Waiting nodes stay open.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: 1,
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, retryMs: 0 },
  afterDrain: "reboots",
  nodeDownMs: 5 * minuteMs,
  onNodeFailure: "continues",
  signs: [{ on: "workloadImage", kind: "DaemonSet", image: "kured" }],
  signals: [
    "annotation weave.works/kured-node-lock on its DaemonSet",
    "annotations weave.works/kured-reboot-in-progress and weave.works/kured-most-recent-reboot-needed on the node, with --annotate-nodes",
  ],
  levers: [
    "--blocking-pod-selector, Prometheus alerts, --start-time, --end-time, --reboot-days",
    "the lock, taken by hand",
    "a budget, for ever, or until --drain-timeout; --force-reboot reboots all the same",
  ],
  changed: [
    {
      what: "pause between tries of a refused eviction",
      from: "5 s",
      to: "none, as fast as the client may",
      at: "built with kubectl 0.35 or later",
    },
  ],
  notModelled: [
    "after a drain that timed out the node is tried again an hour later: here it is left",
    "nodes look every 60 minutes for the file: here all named ones want it now",
  ],
  sources: [
    {
      mark: "A",
      from: "kubereboot/kured cmd/kured/main.go, pkg/{blockers,daemonsetlock,taints,timewindow}, 2026-08-10",
    },
    { mark: "D", from: "a reboot takes 2 to 10 minutes: 5 here" },
  ],
};
