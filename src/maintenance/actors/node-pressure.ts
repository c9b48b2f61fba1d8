import type { Actor } from "../actor.ts";
import { asksForEver, minuteMs, secondMs } from "../usual.ts";

/** The kubelet evicting pods because disk or memory runs out. Mirrors kubernetes v1.36.3 pkg/kubelet/eviction. */
export const nodePressure: Actor = {
  name: "node-pressure",
  title: "Node-pressure eviction by the kubelet",
  description:
    "The disk or the memory of a node runs out: the kubelet ends pods with one second of grace and asks no budget. They are Failed, their controllers make others, " +
    "and the node takes none until five minutes after the pressure is gone. Large models and images fill disks.",
  kind: "sudden",
  close: { cordon: false, taints: [], condition: "DiskPressure" },
  closeWhen: "node",
  marks: [],
  nodesAtOnce: "all",
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, by: "kubelet", graceMaxMs: secondMs },
  afterDrain: "opens",
  nodeDownMs: 5 * minuteMs,
  onNodeFailure: "continues",
  signs: [],
  signals: [
    "node condition DiskPressure or MemoryPressure with its NoSchedule taint",
    "pods Failed with reason Evicted, condition DisruptionTarget with reason TerminationByKubelet",
  ],
  levers: ["none but room: requests and limits of ephemeral storage, image garbage collection, larger disks"],
  changed: [],
  notModelled: [
    "the order of victims and when the pressure is over: here every pod that may go does",
    "soft thresholds, which give the pod's own grace up to a limit",
  ],
  sources: [{ mark: "A", from: "kubernetes v1.36.3 pkg/kubelet/eviction" }],
};
