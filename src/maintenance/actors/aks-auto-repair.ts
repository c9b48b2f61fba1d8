import type { Actor } from "../actor.ts";
import { minuteMs } from "../usual.ts";
import { nodeFailure } from "./node-failure.ts";

/** AKS restarting a node that has been not Ready for five minutes: nobody drains it. */
export const aksAutoRepair: Actor = {
  ...nodeFailure,
  name: "aks-auto-repair",
  title: "AKS node auto-repair",
  description:
    "A node stops working; after five minutes AKS reboots it, then reimages it, then redeploys it, in up to three rounds and at most an hour, one node at a time. It is not drained: its pods " +
    "are deleted 350 s after it went silent, unless it is back before.",
  nodesAtOnce: 1,
  afterDrain: "reboots",
  // Five minutes until AKS acts, and a reboot.
  nodeDownMs: 10 * minuteMs,
  signals: ["a node not Ready; events NodeRebooting, NodeReimage, NodeRedeploy of aks-remediator"],
  levers: ["none: a budget is not asked"],
  changed: [{ what: "time until the first repair", from: "10 min", to: "5 min", at: "documentation since 2023" }],
  notModelled: ["a first reboot that does not help: the node is back after 10 minutes here"],
  sources: [
    { mark: "B", from: "AKS documentation: node auto-repair, MicrosoftDocs/azure-aks-docs 2026-08-21" },
    { mark: "D", from: "that it does not drain, and the time a reboot takes" },
  ],
};
