import type { Actor } from "../actor.ts";
import { asksForEver, closesNothing, secondMs } from "../usual.ts";

/** A machine told to shut down whose kubelet holds it for a moment. Mirrors kubernetes v1.36.3 pkg/kubelet/nodeshutdown. */
export const gracefulShutdown: Actor = {
  name: "graceful-shutdown",
  title: "Graceful node shutdown by the kubelet",
  description:
    "The machine shuts down and the kubelet, if told so (it is not by default), holds it for 30 s: pods are ended with at most 20 s of grace, critical ones after that with 10 s, no budget " +
    "asked. The node is not Ready at once; the pods are Failed and made again elsewhere; the machine comes back.",
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
  drain: { ...asksForEver, by: "kubelet", graceMaxMs: 20 * secondMs, holdsForMs: 30 * secondMs, then: "stops-machine" },
  afterDrain: "reboots",
  nodeDownMs: 180_000,
  onNodeFailure: "continues",
  signs: [],
  signals: ["node not Ready with the message that the node is shutting down; pods Failed with reason Terminated"],
  levers: [
    "the kubelet's shutdownGracePeriod and shutdownGracePeriodCriticalPods, or grace by priority; a budget does nothing",
  ],
  changed: [],
  notModelled: [
    "kubelets are configured per node and not seen: 30 s, of which 10 s for critical pods, as Talos sets it",
    "groups of priorities with times of their own",
  ],
  sources: [{ mark: "A", from: "kubernetes v1.36.3 pkg/kubelet/nodeshutdown" }],
};
