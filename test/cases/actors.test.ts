import { budget, deployment, type Fields, type Item, node, service } from "../../scripts/recordings/objects.ts";
import type { Items } from "../../scripts/recordings/recording.ts";
import { testAll } from "./judged.ts";

// Labels and objects of those who maintain nodes say who does it and how. Each node is full: only another node brings room.

const karpenterNodes: Items = ["g1", "g2"].map((name) =>
  node(name, { gpu: 1, labels: { "karpenter.sh/nodepool": "gpu", "karpenter.sh/capacity-type": "on-demand" } }),
);
const karpenter = (template: Fields = {}, budgets: readonly Fields[] = [{ nodes: "1" }]): Items => [
  karpenterNodes,
  {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "gpu" },
    spec: { template: { spec: template }, disruption: { consolidationPolicy: "WhenEmpty", budgets } },
  },
  ["g1", "g2"].map(
    (name): Item => ({
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: { name: `claim-${name}`, labels: { "karpenter.sh/nodepool": "gpu" } },
      spec: template,
      status: { nodeName: name },
    }),
  ),
];
const engines = (annotations?: Fields): Items => [
  deployment("m1", "g1 g2", { gpu: 1, ...(annotations === undefined ? {} : { annotations }) }),
  service("m1"),
];
const allowing = (max: number): Items => budget("m1", { max, status: [2, 2] });

/** Nodes of a cloud's pool, told by their labels. */
const pool = (labels: Fields): Items => ["g1", "g2"].map((name) => node(name, { gpu: 1, labels }));
const gke = pool({ "cloud.google.com/gke-nodepool": "gpu" });
const eks = pool({ "eks.amazonaws.com/nodegroup": "gpu" });
const aks = pool({ "kubernetes.azure.com/agentpool": "gpu", "kubernetes.azure.com/cluster": "c" });

testAll([
  {
    name: "a replacement node comes first, so that full nodes do not matter",
    cluster: [karpenter(), engines(), allowing(1)],
    verdict: "safe",
  },
  {
    name: "pods that ask not to be disrupted: their nodes are never candidates",
    why: "pkg/controllers/state/statenode.go ValidatePodsDisruptable; kubectl would not care.",
    cluster: [karpenter(), engines({ "karpenter.sh/do-not-disrupt": "true" }), allowing(1)],
    verdict: "stalls",
    codes: ["HF035", "HF011"],
  },
  {
    name: "a budget that never lets go, and no limit: it is not for want of a place",
    cluster: [karpenter(), engines(), allowing(0)],
    verdict: "stalls",
    codes: ["HF003", "HF011"],
  },
  {
    name: "the same under a limit of an hour: one pod goes then, and the other serves",
    why: "NodePool spec.template.spec.terminationGracePeriod: pods are deleted when it ends, whatever budgets say.",
    cluster: [karpenter({ terminationGracePeriod: "1h" }), engines(), allowing(0)],
    verdict: "safe",
  },
  {
    name: "no node may be disrupted now: what happens when that ends is open",
    cluster: [karpenter({}, [{ nodes: "0" }]), engines(), allowing(1)],
    verdict: "undecided",
    gaps: ["its budget is 0 nodes"],
  },
  {
    name: "GKE waits for a budget for an hour, and then takes the one pod of the node",
    why: "GKE node upgrades respect PodDisruptionBudgets for up to one hour.",
    cluster: [gke, engines(), allowing(0)],
    verdict: "safe",
  },
  {
    name: "with one engine that hour ends in an outage",
    cluster: [gke, deployment("m1", "g1", { gpu: 1 }), service("m1"), budget("m1", { max: 0, status: [1, 1] })],
    verdict: "unsafe",
  },
  {
    name: "EKS gives the update up after 15 minutes",
    why: "PodEvictionFailure: a managed node group's update fails when pods do not leave within 15 minutes.",
    cluster: [eks, engines(), allowing(0)],
    verdict: "stalls",
    codes: ["HF003", "HF011"],
  },
  {
    name: "AKS gives the upgrade up at its drain timeout",
    cluster: [aks, engines(), allowing(0)],
    verdict: "stalls",
    codes: ["HF003", "HF011"],
  },
  ...[gke, eks, aks].map((nodes, index) => ({
    name: `a surge node takes what a full pool cannot (${["GKE", "EKS", "AKS"][index]})`,
    cluster: [nodes, engines(), allowing(1)],
    verdict: "safe" as const,
  })),
]);
