import type { Actor } from "../actor.ts";
import { closesNothing, minuteMs, secondMs, stopsUnasked } from "../usual.ts";

/** A spot machine taken back by Azure: 30 s of notice in which nothing may happen. */
export const spotReclaimAzure: Actor = {
  name: "spot-reclaim-azure",
  title: "Spot reclaim, Azure",
  description:
    "Azure takes a spot machine back with 30 s of notice or more. Spot nodes of AKS have been seen to go without a drain, so none is played: after 30 s the machine is gone.",
  kind: "sudden",
  close: closesNothing,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: "all",
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...stopsUnasked, holdsForMs: 30 * secondMs },
  afterDrain: "lost",
  nodeDownMs: minuteMs,
  onNodeFailure: "continues",
  signs: [{ on: "nodeLabel", key: "kubernetes.azure.com/scalesetpriority", value: "spot" }],
  signals: ["a scheduled event Preempt; with auto-drain taint remediator.kubernetes.azure.com/unschedulable"],
  levers: ["none"],
  changed: [],
  notModelled: [
    "AKS auto-drain on Preempt, which would use the 30 s: aks-auto-drain does the same with the ten minutes of a Redeploy",
    "a new machine in its place: none comes here",
  ],
  sources: [
    {
      mark: "B",
      from: "Azure documentation: scheduled events; MicrosoftDocs/azure-aks-docs node-auto-drain, 2026-08-21",
    },
    { mark: "C", from: "reports of spot nodes that were not drained, AKS issue 3528" },
  ],
};
