import type { Actor } from "../actor.ts";
import { eksManaged } from "./eks-managed.ts";

/** The update of a managed node group where machines are scarce: updateStrategy MINIMAL takes old nodes out first. */
export const eksManagedMinimal: Actor = {
  ...eksManaged,
  name: "eks-managed-minimal",
  title: "EKS managed node group update, minimal",
  description:
    "As eks-managed with updateStrategy MINIMAL, for scarce machines such as those with GPUs: no new node first. An old node is closed, drained for at most 15 minutes and " +
    "terminated, and only then a new one is launched.",
  closeWhen: "node",
  surge: null,
  signs: [],
  signals: ["spec.unschedulable on as many nodes as may be unavailable (1), no new node before"],
  notModelled: [
    "a forced update, which deletes what is left after 15 minutes",
    "maxUnavailable of the node group is not seen in the cluster: one node",
  ],
  sources: [
    { mark: "B", from: "EKS API reference, NodegroupUpdateConfig updateStrategy, 2026-11" },
    {
      mark: "D",
      from: "that other old nodes stay open until their turn comes; pods are taken as kubectl with all flags takes them",
    },
  ],
};
