import type { Actor } from "../actor.ts";
import { asksForEver, hourMs, minuteMs, takesAll } from "../usual.ts";

/** Maintenance of the host below a GKE node with GPUs or TPUs: announced by a label, held by nothing but the pods' grace. */
export const gkeHostMaintenance: Actor = {
  name: "gke-host-maintenance",
  title: "GKE host maintenance",
  description:
    "Google maintains the host of a GPU or TPU node: announced by a label, it ignores windows and exclusions. The node is closed, pods get their own grace " +
    "of at most one hour and no budget is asked, then the machine stops and comes back.",
  kind: "maintains",
  close: {
    cordon: true,
    taints: [{ key: "cloud.google.com/impending-node-termination", value: "", effect: "NoSchedule" }],
    condition: "",
  },
  closeWhen: "node",
  marks: [],
  nodesAtOnce: 1,
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: {
    ...asksForEver,
    flags: [...takesAll, "--disable-eviction"],
    graceMaxMs: hourMs,
    holdsForMs: hourMs,
    then: "stops-machine",
  },
  afterDrain: "reboots",
  nodeDownMs: 30 * minuteMs,
  onNodeFailure: "continues",
  signs: [
    { on: "nodeLabel", key: "cloud.google.com/active-node-maintenance", value: null },
    { on: "nodeLabel", key: "cloud.google.com/scheduled-maintenance-time", value: null },
  ],
  signals: [
    "label cloud.google.com/scheduled-maintenance-time (Unix seconds) on the node, before anything is closed",
    "label cloud.google.com/active-node-maintenance=ONGOING, taint cloud.google.com/impending-node-termination:NoSchedule",
  ],
  levers: [
    "terminationGracePeriodSeconds up to one hour; no budget, window or exclusion",
    "label cloud.google.com/perform-maintenance=true starts it now, at a time that suits",
  ],
  changed: [],
  notModelled: [
    "hosts of a TPU slice go together",
    "whether a budget is asked is not stated: it is taken as no",
    "how long the host takes: minutes to hours, here 30 minutes",
  ],
  sources: [
    { mark: "B", from: "GKE documentation: handle disruption of GPU and TPU nodes, 2026-08" },
    { mark: "D", from: "that no budget holds it, and the time the host takes" },
  ],
};
