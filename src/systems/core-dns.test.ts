import assert from "node:assert/strict";
import { test } from "node:test";
import { knobText, object, servingCluster, type Thing, workload } from "../../test/support/serving.ts";
import { factsOf } from "./facts.ts";
import { ruleFor } from "./registry.ts";

interface Told {
  readonly replicas: string;
  readonly managedBy: string;
  readonly overwritten: boolean;
}

/** Who owns the DNS workload of a cluster whose nodes carry these labels. */
function told(dns: Thing, nodeLabels: Thing = {}): Told {
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels: nodeLabels } };
  const facts = factsOf(servingCluster([dns, node]));
  const [part] = facts.parts;
  assert.ok(part);
  const { replicas, managedBy, overwrites } = ruleFor(part).knobs(part, facts);
  return { replicas: knobText(replicas), managedBy, overwritten: overwrites !== "" };
}

const coredns = (labels: Thing = {}): Thing =>
  workload("coredns", { namespace: "kube-system", labels: { "k8s-app": "kube-dns", ...labels } });

/** Name, workload, labels of a node, who has it. */
const rows: readonly (readonly [string, Told, Told])[] = [
  [
    "kubeadm: the Deployment itself",
    told(coredns()),
    { replicas: "Deployment/coredns spec.replicas", managedBy: "", overwritten: false },
  ],
  [
    "EKS, told by its nodes",
    told(coredns(), { "eks.amazonaws.com/nodegroup": "a" }),
    { replicas: "code", managedBy: "EKS add-on coredns", overwritten: true },
  ],
  [
    "EKS with nodes of others (Karpenter), told by the add-on's label",
    told(coredns({ "eks.amazonaws.com/component": "coredns" })),
    { replicas: "code", managedBy: "EKS add-on coredns", overwritten: true },
  ],
  [
    "AKS: the autoscaler's ladder",
    told(coredns(), { "kubernetes.azure.com/agentpool": "a" }),
    { replicas: "code", managedBy: "AKS", overwritten: true },
  ],
  [
    "GKE: kube-dns and its autoscaler",
    told(workload("kube-dns", { namespace: "kube-system", labels: { "k8s-app": "kube-dns" } }), {
      "cloud.google.com/gke-nodepool": "a",
    }),
    { replicas: "code", managedBy: "GKE", overwritten: true },
  ],
  [
    "RKE2: its chart, by the values of a HelmChartConfig",
    told(
      workload("rke2-coredns-rke2-coredns", {
        namespace: "kube-system",
        labels: { "k8s-app": "kube-dns" },
        annotations: { "meta.helm.sh/release-name": "rke2-coredns" },
      }),
    ),
    { replicas: "code", managedBy: "HelmChartConfig rke2-coredns", overwritten: true },
  ],
  [
    "k3s: its own manifest",
    told(coredns(), { "node.kubernetes.io/instance-type": "k3s" }),
    { replicas: "Deployment/coredns spec.replicas", managedBy: "k3s", overwritten: true },
  ],
  [
    "OpenShift: a DaemonSet of the DNS operator",
    told(
      workload("dns-default", {
        kind: "DaemonSet",
        namespace: "openshift-dns",
        labels: { "dns.operator.openshift.io/daemonset-dns": "default" },
      }),
    ),
    { replicas: "none", managedBy: "DNS operator", overwritten: true },
  ],
  [
    "the chart, in any namespace",
    told(workload("dns", { namespace: "dns", labels: { "app.kubernetes.io/name": "coredns" } })),
    { replicas: "helm replicaCount", managedBy: "helm", overwritten: true },
  ],
];

for (const [name, found, expected] of rows) test(name, () => assert.deepEqual(found, expected));

test("the cache on each node is not what requests wait for", () => {
  const cache = workload("node-local-dns", {
    kind: "DaemonSet",
    namespace: "kube-system",
    labels: { "k8s-app": "node-local-dns" },
  });
  const facts = factsOf(servingCluster([cache, object("v1", "Service", "x", {})]));
  const rule = facts.parts.map(ruleFor)[0];
  assert.deepEqual([rule?.component, rule?.onPath], ["Node-local DNS cache", false]);
});
