import type { Actor } from "../actor.ts";
import { asksForEver, minuteMs } from "../usual.ts";

/** AKS draining a node whose machine Azure is about to move (Redeploy) or take back (Preempt). */
export const aksAutoDrain: Actor = {
  name: "aks-auto-drain",
  title: "AKS node auto-drain",
  description:
    "Azure announces that it moves a machine to another host: AKS taints, cordons and drains the node at once, and after at least ten minutes the machine is redeployed with whatever is left " +
    "on it, and comes back. A preempted spot machine has 30 s: spot-reclaim-azure.",
  kind: "sudden",
  close: {
    cordon: true,
    taints: [{ key: "remediator.kubernetes.azure.com/unschedulable", value: "", effect: "NoSchedule" }],
    condition: "",
  },
  closeWhen: "node",
  marks: [],
  nodesAtOnce: "all",
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, holdsForMs: 10 * minuteMs, then: "stops-machine" },
  afterDrain: "reboots",
  nodeDownMs: 5 * minuteMs,
  onNodeFailure: "continues",
  signs: [{ on: "nodeTaint", key: "remediator.kubernetes.azure.com/unschedulable" }],
  signals: [
    "taint remediator.kubernetes.azure.com/unschedulable; a scheduled event Redeploy or Preempt of the machine",
  ],
  levers: ["a budget, until the event's time"],
  changed: [],
  notModelled: [
    "Reboot, which is not drained, Freeze and Terminate, which are drained if asked for",
    "how long the machine is away: 5 minutes here",
  ],
  sources: [
    {
      mark: "B",
      from: "MicrosoftDocs/azure-aks-docs node-auto-drain, 2026-08-21; Azure documentation: scheduled events",
    },
    { mark: "D", from: "the effect of the taint, and that the notice of a Redeploy is used to its end" },
  ],
};
