import type { Actor } from "../actor.ts";
import { asksForEver, cordons, hourMs } from "../usual.ts";

/** A maintenance event of Nebius managed Kubernetes: cordon, drain for at most an hour, stop and start the same machine. */
export const nebius: Actor = {
  name: "nebius",
  title: "Nebius maintenance event",
  description:
    "Marks the machines with the condition NebiusMaintenanceScheduled, cordons them (in the field: every node of the pool before the first drain), " +
    "drains each for at most one hour, stops the machine whatever is left on it, starts it again and uncordons it.",
  kind: "maintains",
  close: cordons,
  closeWhen: "all",
  marks: [],
  nodesAtOnce: 1,
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, holdsForMs: hourMs, then: "stops-machine" },
  afterDrain: "reboots",
  nodeDownMs: 210_000,
  onNodeFailure: "continues",
  signs: [
    { on: "nodeCondition", type: "NebiusMaintenanceScheduled" },
    { on: "nodeName", prefix: "computeinstance-" },
    { on: "nodeLabel", key: "nebius.com/node-group-id", value: null },
  ],
  signals: [
    "node condition NebiusMaintenanceScheduled with the deadline in its message, before the cordon",
    "events NodeDraining, NodeDrained, InstanceStopping, InstanceStopped, InstanceStarting, InstanceStarted, NodeUncordoned",
  ],
  levers: [
    "a budget holds the drain for at most one hour; no window or exclusion is documented",
    "once announced it can be started by hand, by a node label that begins nebius.com/perform-mainten",
  ],
  changed: [],
  notModelled: [
    "the wait for workloads before the deadline (documented for jobs; whether it applies to services is not stated)",
    "whether the drain uses the Eviction API is not stated; it does elsewhere in that API",
    "the deadline of the event, by which the machine is stopped whatever else",
    "documented is a cordon by batches within a node group, recorded was one of all nodes: nebius-by-batch plays the other",
  ],
  sources: [
    { mark: "B", from: "docs.nebius.com/kubernetes/maintenance and /maintenance/manage, 2026-08" },
    { mark: "A", from: "nebius/api compute/v1/maintenance_event.proto, 2026-08-19" },
    { mark: "B", from: "a recorded maintenance of two system nodes, about 7 minutes in all, 2026-10" },
  ],
};
