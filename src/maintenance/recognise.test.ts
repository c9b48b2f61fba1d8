import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import { rows } from "../../test/support/rows.ts";
import type { Cluster } from "../model/cluster.ts";
import { poolsOf } from "./pool.ts";
import { recogniseActors } from "./recognise.ts";

const node = (metadata: string, status = "{}"): string =>
  `apiVersion: v1\nkind: Node\nmetadata: ${metadata}\nstatus: ${status}\n`;
const runs = (kind: string, name: string, image: string, args: readonly string[] = []): string =>
  `apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}, namespace: ops}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: main, image: "${image}", args: ${JSON.stringify(args)}}]}
`;
const cluster = (...documents: readonly string[]): Cluster =>
  clusterFrom(documents.join("---\n"), { problemsAllowed: true });
const names = (of: Cluster): readonly string[] => recogniseActors(of).map(({ actor }) => actor.name);
const plain = node("{name: n1}");

rows("recognised from a node", (document: string) => names(cluster(document)), [
  ["nothing said: a person with kubectl", plain, ["kubectl-drain"]],
  ["Nebius by its name", node("{name: computeinstance-e00abc}"), ["nebius"]],
  [
    "a maintenance Nebius announced",
    node("{name: n1}", '{conditions: [{type: NebiusMaintenanceScheduled, status: "True"}]}'),
    ["nebius"],
  ],
  [
    "OpenShift",
    node("{name: n1, annotations: {machineconfiguration.openshift.io/currentConfig: rendered-worker-1}}"),
    ["openshift-mco"],
  ],
  ["GKE", node("{name: n1, labels: {cloud.google.com/gke-nodepool: gpu}}"), ["gke-surge"]],
  [
    "GKE, with a host maintenance announced: that one first",
    node(
      '{name: n1, labels: {cloud.google.com/gke-nodepool: gpu, cloud.google.com/scheduled-maintenance-time: "1767225600"}}',
    ),
    ["gke-host-maintenance", "gke-surge"],
  ],
  ["EKS", node("{name: n1, labels: {eks.amazonaws.com/nodegroup: gpu}}"), ["eks-managed"]],
  ["Karpenter", node("{name: n1, labels: {karpenter.sh/nodepool: gpu}}"), ["karpenter"]],
  [
    "EKS Auto, which is Karpenter too",
    node("{name: n1, labels: {karpenter.sh/nodepool: general-purpose, eks.amazonaws.com/compute-type: auto}}"),
    ["eks-auto", "karpenter"],
  ],
  ["AKS", node("{name: n1, labels: {kubernetes.azure.com/agentpool: gpu}}"), ["aks-upgrade"]],
  ["Cluster API", node("{name: n1, annotations: {cluster.x-k8s.io/machine: m1}}"), ["cluster-api"]],
  ["kOps", node("{name: n1, labels: {kops.k8s.io/instancegroup: nodes}}"), ["kops"]],
  ["Gardener", node("{name: n1, labels: {worker.gardener.cloud/pool: gpu}}"), ["gardener"]],
  [
    "OpenShift on AWS, by Machines of its own",
    node(
      "{name: ip-10-0-1-7.ec2.internal, labels: {node-role.kubernetes.io/worker: ''}, annotations: {machine.openshift.io/machine: openshift-machine-api/w-1, machineconfiguration.openshift.io/currentConfig: rendered-worker-1}}",
    ),
    ["openshift-mco"],
  ],
  [
    "OKE: nobody known",
    node("{name: 10.0.10.5, labels: {oci.oraclecloud.com/fault-domain: FAULT-DOMAIN-1}}"),
    ["kubectl-drain"],
  ],
  ["DOKS", node("{name: pool-a-1, labels: {doks.digitalocean.com/node-pool: pool-a}}"), ["doks-upgrade"]],
  [
    "a GPU that Nebius found broken",
    node("{name: computeinstance-1}", '{conditions: [{type: NebiusGPUError, status: "True"}]}'),
    ["nebius", "nebius-recovery"],
  ],
  [
    "… and one it found well",
    node("{name: computeinstance-1}", '{conditions: [{type: NebiusGPUError, status: "False"}]}'),
    ["nebius"],
  ],
  ["CoreWeave: nobody known", node("{name: g1, labels: {compute.coreweave.com/node-pool: h200}}"), ["kubectl-drain"]],
  [
    "a spot machine of GKE: the pool's way first",
    node('{name: n1, labels: {cloud.google.com/gke-nodepool: gpu, cloud.google.com/gke-spot: "true"}}'),
    ["gke-surge", "spot-reclaim-gcp"],
  ],
  ["Talos", node("{name: n1}", "{nodeInfo: {osImage: Talos (v1.14.0)}}"), ["talos"]],
]);

rows("recognised from objects", (documents: readonly string[]) => names(cluster(plain, ...documents)), [
  ["kured", [runs("DaemonSet", "reboots", "ghcr.io/kubereboot/kured:1.21.0")], ["kured"]],
  ["another image that only sounds like it", [runs("DaemonSet", "x", "example/kured-exporter:1")], ["kubectl-drain"]],
  [
    "system-upgrade-controller",
    [runs("Deployment", "suc", "rancher/system-upgrade-controller:v0.17.0")],
    ["system-upgrade-controller"],
  ],
  [
    "system-upgrade-controller by a Plan",
    ["apiVersion: upgrade.cattle.io/v1\nkind: Plan\nmetadata: {name: agents, namespace: system-upgrade}\n"],
    ["system-upgrade-controller"],
  ],
  [
    "medik8s by a NodeMaintenance",
    ["apiVersion: nodemaintenance.medik8s.io/v1beta1\nkind: NodeMaintenance\nmetadata: {name: n1}\n"],
    ["medik8s-nmo"],
  ],
  [
    "cluster-autoscaler removes nodes: a person still maintains them",
    [runs("Deployment", "ca", "registry.k8s.io/autoscaling/cluster-autoscaler:v1.34.0")],
    ["kubectl-drain", "cluster-autoscaler"],
  ],
]);

test("a cluster of managed groups and Karpenter: each pool has its own", () => {
  const mixed = cluster(
    node("{name: a1, labels: {eks.amazonaws.com/nodegroup: system}}"),
    node("{name: b1, labels: {karpenter.sh/nodepool: gpu}}"),
  );
  assert.deepEqual(names(mixed), ["karpenter", "eks-managed"]);
  const byPool = poolsOf(mixed.nodes).map((pool) => [pool.name, ...names({ ...mixed, nodes: pool.nodes })]);
  assert.deepEqual(byPool, [
    ["gpu", "karpenter"],
    ["system", "eks-managed"],
  ]);
});

test("several signs: an announced maintenance, the cloud, what somebody installed, in that order", () => {
  const found = recogniseActors(
    cluster(
      node("{name: n1, labels: {cloud.google.com/gke-nodepool: gpu}}"),
      node(
        "{name: n2, labels: {cloud.google.com/gke-nodepool: gpu, cloud.google.com/active-node-maintenance: ONGOING}}",
      ),
      runs("DaemonSet", "kured", "kured:1.21.0"),
      runs("Deployment", "descheduler", "registry.k8s.io/descheduler/descheduler:v0.34.0"),
    ),
  );
  assert.deepEqual(
    found.map(({ actor, because }) => [actor.name, because]),
    [
      ["gke-host-maintenance", "node n2: label cloud.google.com/active-node-maintenance"],
      ["gke-surge", "node n1: label cloud.google.com/gke-nodepool"],
      ["kured", "DaemonSet ops/kured runs kured"],
      ["descheduler", "Deployment ops/descheduler runs descheduler"],
    ],
  );
});

test("what the cluster says of how it is set is part of the because", () => {
  const [found] = recogniseActors(
    cluster(plain, runs("DaemonSet", "kured", "kured:1.21.0", ["--concurrency=2", "--drain-timeout=30m"])),
  );
  assert.equal(found?.actor.nodesAtOnce, 2);
  assert.equal(
    found?.because,
    "DaemonSet ops/kured runs kured; DaemonSet ops/kured: --concurrency=2; DaemonSet ops/kured: --drain-timeout=30m",
  );
});
