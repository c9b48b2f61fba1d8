import { likelyActors } from "../../src/maintenance/likely.ts";
import { poolsOf } from "../../src/maintenance/pool.ts";
import { clusterFrom } from "../support/cluster.ts";
import { rows } from "../support/rows.ts";

// Labels, annotations, taints and objects as platforms set them; who maintains which pool, as a person of that platform expects.

interface Labels {
  readonly [key: string]: string;
}

function node(
  name: string,
  labels: Labels,
  {
    annotations = {},
    os = "Ubuntu 24.04.2 LTS",
    taints = [],
  }: { readonly annotations?: Labels; readonly os?: string; readonly taints?: readonly string[] } = {},
): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", ...labels }, annotations },
    spec: { taints: taints.map((key) => ({ key, effect: "NoSchedule" })) },
    status: { nodeInfo: { osImage: os, kernelVersion: "6.8", kubeletVersion: "v1.36.3" } },
  });
}

function runs(kind: string, image: string, spec: object = {}): string {
  const labels = { app: "it" };
  const pod = { metadata: { labels }, spec: { ...spec, containers: [{ name: "main", image }] } };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind,
    metadata: { name: "it", namespace: "ops" },
    spec: { selector: { matchLabels: labels }, template: pod },
  });
}

function object(apiVersion: string, kind: string, name: string, spec: object = {}): string {
  return JSON.stringify({ apiVersion, kind, metadata: { name, namespace: "ops" }, spec });
}

/** Pool → who is sure to take its nodes, the likeliest first. */
function sureOf(documents: readonly string[]): Readonly<Record<string, string>> {
  const cluster = clusterFrom(documents.join("\n---\n"), { problemsAllowed: true });
  return Object.fromEntries(
    poolsOf(cluster.nodes).map((pool) => [
      pool.name,
      likelyActors(cluster, pool, [])
        .sure.map(({ name }) => name)
        .join(" "),
    ]),
  );
}

const rhcos = "Red Hat Enterprise Linux CoreOS 9.6.20260201-0 (Plow)";
const mco = {
  "machineconfiguration.openshift.io/currentConfig": "rendered-worker-1",
  "machineconfiguration.openshift.io/desiredConfig": "rendered-worker-1",
  "machineconfiguration.openshift.io/state": "Done",
};
const byHand = "kubectl-drain-in-turn";

rows("who maintains the nodes of", sureOf, [
  [
    "EKS with managed groups and Karpenter",
    [
      node("ip-10-0-1-7.ec2.internal", {
        "eks.amazonaws.com/nodegroup": "system",
        "eks.amazonaws.com/nodegroup-image": "ami-1",
        "eks.amazonaws.com/capacityType": "ON_DEMAND",
      }),
      node("ip-10-0-2-8.ec2.internal", {
        "karpenter.sh/nodepool": "gpu",
        "karpenter.sh/capacity-type": "spot",
        "karpenter.k8s.aws/ec2nodeclass": "gpu",
        "karpenter.sh/registered": "true",
      }),
      object("karpenter.sh/v1", "NodePool", "gpu"),
    ],
    { gpu: "karpenter", system: "eks-managed" },
  ],
  [
    "EKS Auto Mode",
    [
      node("i-0a", {
        "karpenter.sh/nodepool": "general-purpose",
        "eks.amazonaws.com/compute-type": "auto",
        "eks.amazonaws.com/nodeclass": "default",
      }),
    ],
    { "general-purpose": "eks-auto" },
  ],
  [
    "EKS with nodes of one's own (eksctl, no managed group)",
    [
      node("ip-10-0-3-1.ec2.internal", {
        "alpha.eksctl.io/nodegroup-name": "own",
        "alpha.eksctl.io/cluster-name": "c",
      }),
    ],
    { own: byHand },
  ],
  [
    "GKE, one pool with a host maintenance announced",
    [
      node("gke-c-system-1", {
        "cloud.google.com/gke-nodepool": "system",
        "cloud.google.com/gke-boot-disk": "pd-balanced",
      }),
      node("gke-c-gpu-1", {
        "cloud.google.com/gke-nodepool": "gpu",
        "cloud.google.com/gke-accelerator": "nvidia-h100-80gb",
        "cloud.google.com/scheduled-maintenance-time": "1767225600",
      }),
    ],
    { gpu: "gke-host-maintenance gke-surge", system: "gke-surge" },
  ],
  [
    "AKS, one pool in which an upgrade left a node in quarantine",
    [
      node("aks-system-1-vmss000000", {
        "kubernetes.azure.com/agentpool": "system",
        agentpool: "system",
        "kubernetes.azure.com/mode": "system",
      }),
      node("aks-gpu-1-vmss000000", {
        "kubernetes.azure.com/agentpool": "gpu",
        agentpool: "gpu",
        "kubernetes.azure.com/upgrade-status": "Quarantined",
      }),
    ],
    { gpu: "aks-upgrade-quarantine", system: "aks-upgrade" },
  ],
  [
    "OpenShift on bare metal with the node-maintenance-operator",
    [
      node("worker-0.lab", { "node-role.kubernetes.io/worker": "" }, { annotations: mco, os: rhcos }),
      runs("Deployment", "registry.redhat.io/workload-availability/node-maintenance-rhel9-operator@sha256:0"),
    ],
    { worker: "openshift-mco medik8s-nmo" },
  ],
  [
    "OpenShift on AWS (ROSA classic, by Machines of its own)",
    [
      node(
        "ip-10-0-1-7.ec2.internal",
        { "node-role.kubernetes.io/worker": "", "node.openshift.io/os_id": "rhel" },
        { annotations: { ...mco, "machine.openshift.io/machine": "openshift-machine-api/w-1" }, os: rhcos },
      ),
    ],
    { worker: "openshift-mco" },
  ],
  [
    "OpenShift with a hosted control plane",
    [
      node(
        "ip-10-0-1-9.ec2.internal",
        {
          "node-role.kubernetes.io/worker": "",
          "hypershift.openshift.io/nodePool": "c-gpu",
          "hypershift.openshift.io/managed": "true",
        },
        { annotations: { ...mco, "cluster.x-k8s.io/machine": "m1" }, os: rhcos },
      ),
    ],
    { "c-gpu": "hypershift" },
  ],
  [
    "OpenShift on IBM Cloud",
    [
      node(
        "10.240.0.4",
        {
          "ibm-cloud.kubernetes.io/worker-pool-id": "b1-1",
          "ibm-cloud.kubernetes.io/worker-pool-name": "default",
          "node.openshift.io/os_id": "rhel",
        },
        { os: rhcos },
      ),
    ],
    { default: "iks-worker-update" },
  ],
  [
    "IBM Cloud Kubernetes Service",
    [
      node("10.240.0.5", {
        "ibm-cloud.kubernetes.io/worker-pool-id": "b1-1",
        "ibm-cloud.kubernetes.io/worker-pool-name": "gpu",
      }),
    ],
    { gpu: "iks-worker-update" },
  ],
  [
    "Gardener",
    [
      node("shoot--p--c-gpu-z1-1", {
        "worker.gardener.cloud/pool": "gpu",
        "node.kubernetes.io/role": "node",
        "worker.gardener.cloud/system-components": "true",
        "networking.gardener.cloud/node-local-dns-enabled": "false",
      }),
    ],
    { gpu: "gardener" },
  ],
  [
    "kOps on AWS",
    [node("i-0b", { "kops.k8s.io/instancegroup": "nodes-a", "node-role.kubernetes.io/node": "" })],
    { "nodes-a": "kops" },
  ],
  ["Talos", [node("talos-1", { "extensions.talos.dev/nvidia": "1" }, { os: "Talos (v1.13.2)" })], { talos: "talos" }],
  [
    "Talos by Cluster API",
    [node("talos-1", {}, { os: "Talos (v1.13.2)", annotations: { "cluster.x-k8s.io/machine": "m1" } })],
    { talos: "cluster-api talos" },
  ],
  [
    "RKE2 with the system-upgrade-controller",
    [
      node("rke-1", { "node.kubernetes.io/instance-type": "rke2" }, { annotations: { "rke2.io/node-args": "[]" } }),
      runs("Deployment", "rancher/system-upgrade-controller:v0.17.0"),
      object("upgrade.cattle.io/v1", "Plan", "agent-plan", { concurrency: 1, drain: { force: true } }),
    ],
    { rke: "system-upgrade-controller" },
  ],
  [
    "RKE2 whose Plans are for the servers alone",
    [
      node("server-1", { role: "server" }),
      node("gpu-1", { role: "agent" }),
      object("upgrade.cattle.io/v1", "Plan", "server-plan", {
        nodeSelector: { matchLabels: { role: "server" } },
        drain: {},
      }),
    ],
    { gpu: byHand, server: "system-upgrade-controller" },
  ],
  ["k3s alone", [node("k3s-1", { "node.kubernetes.io/instance-type": "k3s" })], { k3s: byHand }],
  [
    "Nebius",
    [node("computeinstance-e00abc", { "nebius.com/node-group-id": "mk8snodegroup-1" })],
    { "mk8snodegroup-1": "nebius" },
  ],
  [
    "Nebius, whose names an anonymised snapshot has renamed",
    [node("node-1", { "nebius.com/node-group-id": "mk8snodegroup-1", "nebius.com/gpu-name": "H100" })],
    { "mk8snodegroup-1": "nebius" },
  ],
  [
    "CoreWeave",
    [
      node("g1a2b3c", {
        "compute.coreweave.com/node-pool": "h200",
        "gpu.nvidia.com/class": "H200",
        "backend.coreweave.cloud/cpu": "intel",
      }),
    ],
    { h200: byHand },
  ],
  ["Lambda", [node("worker-1", { "node.kubernetes.io/instance-type": "gpu_8x_h100_sxm5" })], { worker: byHand }],
  [
    "OKE",
    [
      node(
        "10.0.10.5",
        {
          "oci.oraclecloud.com/fault-domain": "FAULT-DOMAIN-1",
          name: "pool1",
          "oke.oraclecloud.com/pool.name": "pool1",
        },
        {
          annotations: {
            "oci.oraclecloud.com/node-pool-id": "ocid1.nodepool.oc1.iad.a",
            "oci.oraclecloud.com/compartment-id": "c",
          },
        },
      ),
    ],
    { pool1: "oke-node-cycling" },
  ],
  [
    "Kubernetes of one's own on Oracle's machines",
    [node("vm-1", { "oci.oraclecloud.com/fault-domain": "FAULT-DOMAIN-1" })],
    { vm: byHand },
  ],
  [
    "DigitalOcean",
    [
      node("pool-a-1", {
        "doks.digitalocean.com/node-pool": "pool-a",
        "doks.digitalocean.com/node-pool-id": "1",
        "doks.digitalocean.com/version": "1.36.3-do.0",
      }),
    ],
    { "pool-a": "doks-upgrade" },
  ],
  [
    "LKE",
    [node("lke1-2-a", { "lke.linode.com/pool-id": "2", "node.k8s.linode.com/host-uuid": "h" })],
    { "2": "lke-recycle" },
  ],
  [
    "IONOS",
    [node("pool-1-a", { "enterprise.cloud.ionos.com/datacenter-id": "d", "enterprise.cloud.ionos.com/node-id": "n1" })],
    { "pool-1-a": "ionos-upgrade" },
  ],
  [
    "Scaleway",
    [node("scw-k-gpu-1", { "k8s.scaleway.com/pool": "p", "k8s.scaleway.com/pool-name": "gpu" })],
    { gpu: byHand },
  ],
  [
    "OVH",
    [node("nodepool-1-node-1", { nodepool: "nodepool-1", "node.k8s.ovh/type": "standard" })],
    { "nodepool-1": byHand },
  ],
  [
    "Vultr",
    [node("pool-a-1", { "vke.vultr.com/node-pool": "pool-a", "vke.vultr.com/node-id": "1" })],
    { "pool-a": byHand },
  ],
  [
    "vSphere by Tanzu, which is Cluster API",
    [
      node(
        "tkc-md-0-a",
        { "run.tanzu.vmware.com/kubernetesDistributionVersion": "v1.36.3" },
        {
          annotations: { "cluster.x-k8s.io/machine": "tkc-md-0-a", "cluster.x-k8s.io/owner-kind": "MachineSet" },
        },
      ),
    ],
    { "tkc-md-0-a": "cluster-api" },
  ],
  [
    "a cluster where kured runs, but not on tainted GPU nodes",
    [
      node("cpu-1", {}),
      node("gpu-1", {}, { taints: ["nvidia.com/gpu"] }),
      runs("DaemonSet", "ghcr.io/kubereboot/kured:1.21.0"),
    ],
    { cpu: "kured", gpu: byHand },
  ],
  [
    "… and where it runs everywhere",
    [
      node("cpu-1", {}),
      node("gpu-1", {}, { taints: ["nvidia.com/gpu"] }),
      runs("DaemonSet", "ghcr.io/kubereboot/kured:1.21.0", { tolerations: [{ operator: "Exists" }] }),
    ],
    { cpu: "kured", gpu: "kured" },
  ],
]);

/** Who may come besides, where something says so. */
function possibleOf(documents: readonly string[]): readonly string[] {
  const cluster = clusterFrom(documents.join("\n---\n"), { problemsAllowed: true });
  return poolsOf(cluster.nodes).flatMap((pool) => likelyActors(cluster, pool, []).possible.map(({ name }) => name));
}

rows("who may come besides", possibleOf, [
  [
    "Karpenter's spot nodes are taken back under Karpenter",
    [node("a", { "karpenter.sh/nodepool": "gpu", "karpenter.sh/capacity-type": "spot" })],
    ["karpenter-expiry", "karpenter-interruption", byHand],
  ],
  [
    "a handler of terminations is there because machines are taken back",
    [
      node("a", { "eks.amazonaws.com/nodegroup": "g" }),
      runs("DaemonSet", "public.ecr.aws/aws-ec2/aws-node-termination-handler:v1.25.0"),
    ],
    ["eks-managed-minimal", "spot-reclaim-aws", byHand],
  ],
  [
    "a node that AKS drains at this moment",
    [
      node(
        "a",
        { "kubernetes.azure.com/agentpool": "g" },
        { taints: ["remediator.kubernetes.azure.com/unschedulable"] },
      ),
    ],
    ["aks-upgrade-quarantine", "aks-auto-drain", byHand],
  ],
]);
