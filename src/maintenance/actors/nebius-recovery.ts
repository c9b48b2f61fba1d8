import type { Actor } from "../actor.ts";
import { asksForEver, cordons, hourMs, minuteMs } from "../usual.ts";

/** What Nebius does to a node whose health checks fail: of one with a broken GPU the machine is stopped and brought back. */
export const nebiusRecovery: Actor = {
  name: "nebius-recovery",
  title: "Nebius health-based recovery",
  description:
    "A node with NebiusGPUError is cordoned; once its GPU workloads have ended it is drained for at most one hour, its machine is stopped whatever is left on it, and brought back. " +
    "A node that is not Ready (5 min) or silent (15 min), or whose boot disk fails, is deleted unasked and made again under another name.",
  kind: "removes",
  close: cordons,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: 1,
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, holdsForMs: hourMs, then: "stops-machine" },
  afterDrain: "reboots",
  nodeDownMs: 5 * minuteMs,
  onNodeFailure: "continues",
  signs: [{ on: "nodeCondition", type: "NebiusGPUError" }],
  signals: ["node condition NebiusGPUError (checked every 5 minutes) or NebiusBootDiskIOError, then the cordon"],
  levers: ["GPU workloads that do not end hold the drain back", "a budget, for at most one hour of drain"],
  changed: [],
  notModelled: [
    "the wait for GPU workloads to end: a service never does, and how long that is waited for is not stated; here the drain begins at once",
    "nodes that are deleted unasked: node-failure plays their loss",
    "how long the machine is away: 5 minutes here",
  ],
  sources: [
    { mark: "B", from: "docs.nebius.com/kubernetes/maintenance/health-checks, 2026-08" },
    { mark: "D", from: "that the drain uses the Eviction API, and what happens to a node with endless GPU workloads" },
  ],
};
