import type { Actor } from "../actor.ts";
import { minuteMs } from "../usual.ts";
import { eksManagedMinimal } from "./eks-managed-minimal.ts";

/** Node auto repair of EKS managed node groups. Those of Karpenter and Auto Mode: karpenter-repair. */
export const eksNodeRepair: Actor = {
  ...eksManagedMinimal,
  name: "eks-node-repair",
  title: "EKS node auto repair",
  description:
    "Replaces a node that has been unhealthy for 30 minutes, and one whose GPUs are for 10 (or reboots that). Node groups ask for it; it stops while more than 5 nodes and " +
    "more than 20 % are unhealthy. No new node comes first; what a budget holds is taken to go after 15 minutes.",
  kind: "removes",
  drain: { ...eksManagedMinimal.drain, holdsForMs: 15 * minuteMs, then: "deletes" },
  onNodeFailure: "continues",
  signals: [
    "node conditions AcceleratedHardwareReady, ContainerRuntimeReady, KernelReady, NetworkingReady, StorageReady of the node monitoring agent, False",
  ],
  levers: [
    "nodeRepairConfig of the node group: off by default, how many at once, up to which number of unhealthy nodes",
  ],
  notModelled: ["the health of nodes: every one named is repaired", "a repair that only reboots"],
  sources: [
    { mark: "B", from: "EKS user guide, node auto repair, and API reference, NodeRepairConfig, 2026-11" },
    { mark: "D", from: "whether and for how long it asks budgets: taken as a forced update does" },
  ],
};
