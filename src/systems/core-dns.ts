import type { Facts, Part } from "./facts.ts";
import { code, createBudget, type Knob, type Knobs, none, ownKnobs } from "./knobs.ts";
import { helmPart, managedBy, packagedChart, plainPart } from "./part-rules.ts";
import { type ProportionalScaler, proportionalScaler } from "./proportional-autoscaler.ts";
import { noEntries, type PartRule, type System } from "./system.ts";

/**
 * Cluster DNS in the flavours that run as pods. Who owns the Deployment differs by platform, told by the nodes.
 * Mirrors: kubeadm's manifest, the EKS add-on's configuration, AKS' and GKE's autoscaler ConfigMaps, the coredns chart.
 */
export const coreDns: System = {
  name: "core-dns",
  title: "CoreDNS and kube-dns",
  about:
    "Pods labelled k8s-app=kube-dns (or OpenShift's dns-default) behind the cluster DNS Service. On every path: clients and " +
    "gateways find what they call by name. DNS that is managed, on the nodes or outside (Cloud DNS, EKS Auto Mode) is said to be " +
    "so. Not verified: whether GKE and AKS bring a budget or a spread of their own, and who owns Nebius' CoreDNS.",
  gateways: [],
  entries: noEntries,
  parts: [
    dnsRule("kube-dns", /^kube-dns/),
    dnsRule("CoreDNS", /./),
    {
      hop: "dns",
      component: "OpenShift DNS",
      onPath: true,
      whileGone: "",
      match: { namespace: "openshift-dns", labels: { "dns.operator.openshift.io/daemonset-dns": "*" } },
      owner: () => ({ apiVersion: "operator.openshift.io/v1", kind: "DNS", namespace: "", name: "default" }),
      knobs: () => ({
        replicas: none("One pod a node."),
        budget: createBudget(),
        spread: none("One pod a node."),
        overwrites: "The DNS operator puts the DaemonSet back.",
        managedBy: "DNS operator",
      }),
    },
    plainPart({
      hop: "controller",
      component: "Node-local DNS cache",
      whileGone: "Pods of its node ask CoreDNS themselves; until the node notices, their lookups fail.",
      match: { kinds: ["DaemonSet"], labels: { "k8s-app": "node-local-dns" }, namespace: "kube-system" },
    }),
    helmPart({
      hop: "dns",
      component: "CoreDNS",
      match: { labels: { "app.kubernetes.io/name": "coredns" } },
      values: { replicas: "replicaCount", budget: "podDisruptionBudget", spread: "topologySpreadConstraints" },
    }),
  ],
};

/** Google's clusters still run kube-dns itself, under the same labels. */
function dnsRule(component: string, name: RegExp): PartRule {
  return {
    hop: "dns",
    component,
    onPath: true,
    whileGone: "",
    match: { labels: { "k8s-app": "kube-dns" }, namespace: "kube-system", name },
    owner: ({ workload }, facts) => packagedChart(workload, facts),
    knobs: dnsKnobs,
  };
}

function dnsKnobs(part: Part, facts: Facts): Knobs {
  const own = ownKnobs(part.workload.ref, managedBy(part.workload));
  const nodeLabel = (label: string): boolean => facts.cluster.nodes.some((node) => node.labels.has(label));
  const isEks = nodeLabel("eks.amazonaws.com/nodegroup") || nodeLabel("eks.amazonaws.com/compute-type");
  if (isEks || part.labels.has("eks.amazonaws.com/component"))
    return {
      ...own,
      budget: createBudget(
        "Newer versions of the EKS add-on bring one (configurationValues.podDisruptionBudget); with two on a pod every eviction fails.",
      ),
      replicas: code("EKS add-on coredns, configurationValues.replicaCount or autoScaling.minReplicas"),
      spread: code("EKS add-on coredns, configurationValues.topologySpreadConstraints"),
      overwrites: "The EKS add-on may put the Deployment back at its next update.",
      managedBy: "EKS add-on coredns",
    };
  if (nodeLabel("kubernetes.azure.com/agentpool"))
    return {
      ...own,
      replicas: code("ConfigMap kube-system/coredns-autoscaler, data.ladder or data.linear"),
      overwrites: "AKS manages the Deployment and puts it back.",
      managedBy: "AKS",
    };
  if (nodeLabel("cloud.google.com/gke-nodepool"))
    return {
      ...own,
      replicas: code("ConfigMap kube-system/kube-dns-autoscaler, data.linear"),
      overwrites: "GKE manages the Deployment and puts it back.",
      managedBy: "GKE",
    };
  const packaged = packagedChart(part.workload, facts);
  if (packaged !== null)
    return {
      ...own,
      replicas: code(
        `${packaged.kind} ${packaged.namespace}/${packaged.name}, spec.valuesContent: autoscaler.min, or replicaCount`,
      ),
      overwrites: "RKE2 installs its chart again with the values of the HelmChartConfig.",
      managedBy: `HelmChartConfig ${packaged.name}`,
    };
  const scaler = proportionalScaler(facts, part.workload.ref);
  if (scaler !== null) return { ...own, replicas: scaledKnob(scaler) };
  const isK3s = facts.cluster.nodes.some(({ labels }) => labels.get("node.kubernetes.io/instance-type") === "k3s");
  return isK3s
    ? { ...own, overwrites: "k3s puts its packaged manifest back when a server starts.", managedBy: "k3s" }
    : own;
}

const endless = { nodes: 1e6, milliCpu: 1e12 };

/** What is written at the Deployment does not stay. */
function scaledKnob({ map: target, mode, replicasAt }: ProportionalScaler): Knob {
  const where = `ConfigMap ${target.namespace}/${target.name}`;
  if (mode === "ladder") return code(`${where}, data.ladder: the replicas of its first steps`);
  if (mode === null) return code(`${where}, data.linear: min, or preventSinglePointFailure`);
  // A minimum above the maximum is refused.
  if (replicasAt(endless) === 1) return code(`${where}, data.linear: max, and min`);
  const note = "The proportional autoscaler sets the Deployment's replicas by it within seconds.";
  return { by: "text", target, key: "data.linear", path: "min", note, attach: null };
}
