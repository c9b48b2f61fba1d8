import { rows } from "../../test/support/rows.ts";
import { cluster, labels, node } from "../../test/support/tiny.ts";
import { likelyActors } from "./likely.ts";
import { poolsOf } from "./pool.ts";
import { actorNamed } from "./registry.ts";

interface Asked {
  readonly labels: Readonly<Record<string, string>>;
  readonly named?: readonly string[];
}

rows(
  "who is likely to take the nodes of a pool",
  ({ labels: values, named = [] }: Asked) => {
    const of = cluster({ nodes: [node("n1", { labels: labels(values) })] });
    const [pool = { name: "", nodes: [] }] = poolsOf(of.nodes);
    const { sure, possible } = likelyActors(
      of,
      pool,
      named.flatMap((name) => actorNamed(name) ?? []),
    );
    return [sure.map(({ name }) => name), possible.map(({ name }) => name)];
  },
  [
    ["nothing said: a person, and nobody else", { labels: {} }, [["kubectl-drain-in-turn"], []]],
    [
      "GKE: surge or blue-green, or a person",
      { labels: { "cloud.google.com/gke-nodepool": "a" } },
      [["gke-surge"], ["gke-blue-green", "kubectl-drain-in-turn"]],
    ],
    [
      "GKE spot: reclaims too",
      { labels: { "cloud.google.com/gke-nodepool": "a", "cloud.google.com/gke-spot": "true" } },
      [["gke-surge"], ["gke-blue-green", "spot-reclaim-gcp", "kubectl-drain-in-turn"]],
    ],
    [
      "EKS spot",
      { labels: { "eks.amazonaws.com/nodegroup": "a", "eks.amazonaws.com/capacityType": "SPOT" } },
      [["eks-managed"], ["eks-managed-minimal", "spot-reclaim-aws", "kubectl-drain-in-turn"]],
    ],
    [
      "EKS Auto is not Karpenter of one's own",
      { labels: { "karpenter.sh/nodepool": "a", "eks.amazonaws.com/compute-type": "auto" } },
      [["eks-auto"], ["eks-auto-expiry", "kubectl-drain-in-turn"]],
    ],
    [
      "AKS spot",
      { labels: { "kubernetes.azure.com/agentpool": "a", "kubernetes.azure.com/scalesetpriority": "spot" } },
      [["aks-upgrade"], ["aks-upgrade-quarantine", "spot-reclaim-azure", "kubectl-drain-in-turn"]],
    ],
    [
      "a hosted OpenShift pool: no Machine Config Operator, whatever system its nodes have",
      { labels: { "hypershift.openshift.io/nodePool": "a", "node.openshift.io/os_id": "rhcos" } },
      [["hypershift"], ["kubectl-drain-in-turn"]],
    ],
    [
      "all that are named, and nobody else",
      { labels: { "cloud.google.com/gke-nodepool": "a" }, named: ["kured", "nebius"] },
      [["kured", "nebius"], []],
    ],
  ],
);
