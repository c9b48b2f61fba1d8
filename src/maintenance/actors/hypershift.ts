import type { Actor } from "../actor.ts";
import { clusterApi } from "./cluster-api.ts";

/** OpenShift with a hosted control plane (HyperShift; ROSA and ARO HCP) replacing the nodes of a NodePool. */
export const hypershift: Actor = {
  ...clusterApi,
  name: "hypershift",
  title: "OpenShift hosted node pool",
  description:
    "Nodes of a hosted cluster are Machines of a NodePool: a new one joins first (maxSurge 1, maxUnavailable 0), then an old one is cordoned, drained and deleted. " +
    "No Machine Config Operator works here. The drain waits for ever unless the NodePool has a nodeDrainTimeout; then the machine is deleted with its pods still on it.",
  marks: [],
  signs: [{ on: "nodeLabel", key: "hypershift.openshift.io/nodePool", value: null }],
  levers: ["a budget, for ever, or until nodeDrainTimeout of the NodePool (0 to 10080 min on ROSA and ARO)"],
  notModelled: [
    "the NodePool and its nodeDrainTimeout live in the management cluster and are not seen",
    "upgradeType InPlace, which reboots nodes instead of replacing them",
  ],
  sources: [
    { mark: "C", from: "ROSA and ARO HCP documentation: node drain grace period" },
    { mark: "D", from: "HyperShift NodePools are rolled by Cluster API" },
  ],
};
