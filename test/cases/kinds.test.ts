import { test } from "node:test";
import {
  budget,
  daemonSet,
  deployment,
  type Fields,
  type Item,
  node,
  nodes,
  pod,
  podSpec,
  priorityClass,
  service,
  spread,
  statefulSet,
  uid,
} from "../../scripts/recordings/objects.ts";
import { type Case, compare, outcomeOf, written } from "./case.ts";

const all: Fields = { waitReady: "all" };
const three = nodes("n1 n2 n3");
const noScale = "jobs.batch does not implement the scale subresource";
const noVictims = (preemption: string): string => `no new claims to deallocate, preemption: ${preemption}`;
const unhelpful = (count: number): string =>
  noVictims(`0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`);

/** A Job that has fetched the model, its finished pod still there, with the engines' label on it. */
const finishedJob = (labels: Fields): readonly Item[] => {
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "fetch", uid: uid("job fetch") };
  const own = { "batch.kubernetes.io/controller-uid": owner.uid, ...labels };
  return [
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "fetch", namespace: "serving", uid: owner.uid },
      spec: {
        selector: { matchLabels: { "batch.kubernetes.io/controller-uid": owner.uid } },
        template: { metadata: { labels: own }, spec: { restartPolicy: "Never", ...podSpec("fetch", {}) } },
      },
      status: { succeeded: 1 },
    },
    pod("fetch-bcdfg", "n3$", { labels: { app: "fetch", ...own }, owner, spec: { restartPolicy: "Never" } }),
  ];
};

/** A disk of one node, bound long ago; an export dropped the claim's annotations. */
const localDisk = (name: string, on: string): readonly Item[] => {
  const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "serving", name };
  const here = { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [on] }] };
  const size = { storage: "100Gi" };
  return [
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name },
      spec: {
        ...{ capacity: size, accessModes: ["ReadWriteOnce"], storageClassName: "local", local: { path: "/disk" } },
        claimRef: { ...claim, uid: uid(`claim ${name}`) },
        nodeAffinity: { required: { nodeSelectorTerms: [here] } },
      },
      status: { phase: "Bound" },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, namespace: "serving", uid: uid(`claim ${name}`) },
      spec: {
        ...{ accessModes: ["ReadWriteOnce"], storageClassName: "local", volumeName: name },
        resources: { requests: size },
      },
      status: { phase: "Bound" },
    },
  ];
};
const onDisk = (claimName: string): Fields => ({
  volumes: [{ name: "cache", persistentVolumeClaim: { claimName } }],
});
const cheap = (on: string, items: readonly Item[]): readonly Item[] =>
  items.map((item) =>
    Reflect.get(Object(item["spec"]), "nodeName") === on
      ? {
          ...item,
          metadata: { ...item.metadata, annotations: { "controller.kubernetes.io/pod-deletion-cost": "-10" } },
        }
      : item,
  );

const onePodClaim: readonly Item[] = localDisk("alone", "n1").map((item) => {
  const spec: Fields = { ...Object(item["spec"]), accessModes: ["ReadWriteOncePod"] };
  // Not of one node.
  const { nodeAffinity: _, local: __, ...rest } = { nodeAffinity: null, local: null, ...spec };
  return {
    ...item,
    spec: item.kind === "PersistentVolume" ? { ...rest, csi: { driver: "d", volumeHandle: "v" } } : rest,
  };
});
const named = (item: Item, name: string): Item => ({ ...item, metadata: { ...item.metadata, name } });
const kept = (item: Item): Item =>
  item.kind === "Pod" ? { ...item, metadata: { ...item.metadata, finalizers: ["example.com/hold"] } } : item;

/** Kinds of clusters that reports tell of, each as small as it can be. */
const cases: readonly Case[] = [
  written(
    "one pod of a Job under the budget, finished as it is, and nothing may be evicted",
    [
      three,
      deployment("m1", "n1 n2", { labels: { tier: "model" } }),
      service("m1"),
      finishedJob({ tier: "model" }),
      {
        ...budget("m1", { max: 1, selector: { matchLabels: { tier: "model" } } }),
        status: {
          ...{ observedGeneration: 1, expectedPods: 2, currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 0 },
          conditions: [{ type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message: noScale }],
        },
      },
    ],
    [{ drain: "n1" }],
    {
      evictions: [
        `m1-bcdfg 429 The disruption budget m1 does not allow evicting pods currently because it failed sync: ${noScale}`,
      ],
      drains: { n1: "stalled" },
    },
  ),
  written(
    "pods nobody owns under a percentage: none are expected, none may go",
    [
      three,
      ["n1", "n2"].map((on, index) => pod(`m1-${index}`, on, { labels: { app: "m1" } }, index)),
      service("m1"),
      budget("m1", { min: "50%", status: [0, 2] }),
    ],
    [{ drain: "n1", flags: ["--force"] }],
    {
      evictions: ["m1-0 429 The disruption budget m1 does not allow evicting pods currently"],
      drains: { n1: "stalled" },
    },
  ),
  written(
    "and under a number: one goes, and stays gone",
    [
      three,
      ["n1", "n2"].map((on, index) => pod(`m1-${index}`, on, { labels: { app: "m1" } }, index)),
      service("m1"),
      budget("m1", { min: 1, status: [2, 2] }),
    ],
    [{ drain: "n1", flags: ["--force"] }],
    { evictions: ["m1-0 201"], bound: [], ready: { m1: [2, 1, 1] }, drains: { n1: "completed" } },
  ),
  written(
    "a disk of the drained node: the pod waits for it",
    [three, localDisk("data-m1-0", "n1"), statefulSet("m1", "n1", { spec: onDisk("data-m1-0") }), service("m1")],
    [{ drain: "n1" }, { wait: "10m" }, { uncordon: ["n1"] }, all],
    {
      unschedulable: [
        `m1-0 0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match PersistentVolume's node affinity. ${unhelpful(3)}`,
        // Open again, and the taint of the cordon not yet off.
        `m1-0 0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match PersistentVolume's node affinity. ${unhelpful(3)}`,
      ],
      bound: ["m1-0 n1"],
      ready: { m1: [1, 0, 1] },
    },
  ),
  written(
    "three domains are wanted, and one is closed: no replica may join another",
    [
      three,
      deployment("m1", "n1 n2 n3", { spec: spread("m1", { minDomains: 3, nodeTaintsPolicy: "Honor" }) }),
      service("m1"),
      budget("m1", { max: 1, status: [3, 3] }),
    ],
    [{ drain: "n1" }],
    {
      pending: [
        `m1-~1 0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints. ${noVictims("0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.")}`,
      ],
      ready: { m1: [3, 2, 2] },
    },
  ),
  written(
    "a higher priority that may not preempt waits",
    [
      nodes("n1 n2", { gpu: 1 }),
      priorityClass("high", 1000, { preemptionPolicy: "Never" }),
      deployment("big", "n1", {
        gpu: 1,
        spec: { priorityClassName: "high", priority: 1000, preemptionPolicy: "Never" },
      }),
      deployment("m1", "n2", { gpu: 1 }),
      service("m1"),
    ],
    [{ drain: "n1" }],
    {
      deletions: [],
      pending: [
        "big-~1 0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) were unschedulable. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
      ],
      ready: { m1: [1, 1, 1] },
    },
  ),
  written(
    "a template with a node's name: no scheduler is asked, and no cordon",
    // pkg/scheduler/eventhandlers.go assignedPod: such a pod is never queued; the kubelet takes it.
    [nodes("n1 n2"), deployment("m1", "n1", { spec: { nodeName: "n1" } }), service("m1")],
    [{ drain: "n1" }],
    { bound: ["m1-~1 n1"], pending: [], ready: { m1: [1, 0, 1] }, drains: { n1: "completed" } },
  ),
  written(
    "and its node's last accelerator is free once the old one is gone",
    // pkg/kubelet/lifecycle/predicate.go: until then the kubelet fails each new one (OutOfnvidia.com/gpu).
    [nodes("g1 g2", { gpu: 1 }), deployment("m1", "g1", { gpu: 1, spec: { nodeName: "g1" } }), service("m1")],
    [{ drain: "g1" }, all],
    { bound: ["m1-~1 g1"], ready: { m1: [1, 0, 1] } },
  ),
  written(
    "host network: the port of a container is the host's, and no node has two",
    // pkg/apis/core/v1/defaults.go SetDefaults_PodSpec: hostPort is the containerPort.
    [
      nodes("n1 n2"),
      deployment("m1", "n1 n2", { container: { ports: [{ containerPort: 80 }] }, spec: { hostNetwork: true } }),
      service("m1"),
    ],
    [{ drain: "n1" }],
    {
      pending: [
        `m1-~1 0/2 nodes are available: 1 node(s) didn't have free ports for the requested pod ports, 1 node(s) were unschedulable. ${noVictims("0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.")}`,
      ],
      ready: { m1: [2, 1, 1] },
    },
  ),
  written(
    "a claim for one pod alone: the new pod waits for the old one",
    // volumerestrictions/volume_restrictions.go ErrReasonReadWriteOncePodConflict.
    [nodes("n1 n2"), onePodClaim, deployment("m1", "n1", { spec: onDisk("alone") }), service("m1")],
    [{ drain: "n1" }, all],
    {
      unschedulable: [
        `m1-~1 0/2 nodes are available: 1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod, 1 node(s) were unschedulable. ${noVictims("0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.")}`,
      ],
      bound: ["m1-~1 n2"],
      ready: { m1: [1, 0, 1] },
    },
  ),
  written(
    "ordinals that begin at five",
    // stateful_set_utils.go getStartOrdinal.
    [
      nodes("n1 n2 n3"),
      statefulSet("m1", "n1 n2", { with: { ordinals: { start: 5 } } }).map((item) =>
        item.kind === "Pod" ? named(item, `m1-${5 + Number(item.metadata.name.slice(3))}`) : item,
      ),
      service("m1"),
    ],
    [{ drain: "n1" }, all],
    { bound: ["m1-5 n2|n3"], deletions: [], ready: { m1: [2, 1, 2] } },
  ),
  written(
    "a static pod is left where it is, and serves",
    [
      nodes("n1 n2"),
      pod("m1-n1", "n1", {
        ...{ labels: { app: "m1" }, annotations: { "kubernetes.io/config.mirror": "x" } },
        owner: { apiVersion: "v1", kind: "Node", name: "n1", uid: uid("node n1") },
      }),
      service("m1"),
    ],
    [{ drain: "n1" }],
    { evictions: [], drains: { n1: "completed" }, ready: { m1: [1, 1, 1] } },
  ),
  written(
    "pods of a Deployment and of a StatefulSet under one budget are expected together",
    [
      nodes("n1 n2 n3"),
      deployment("m1", "n1 n2"),
      statefulSet("m2", "n1", { labels: { app: "m1" }, with: { selector: { matchLabels: { app: "m1" } } } }),
      [service("m1"), budget("m1", { max: 1, status: [3, 3] })],
    ],
    [{ drain: "n1" }],
    {
      evictions: [
        "m1-bcdfg 201",
        "m2-0 429 The disruption budget m1 needs 2 healthy pods and has 2 currently",
        "m2-0 201",
      ],
      ready: { m1: [3, 2, 3] },
    },
  ),
  written(
    "a toleration of everything tolerates the cordon: the pod comes back to the node that is drained",
    [nodes("n1"), deployment("m1", "n1", { spec: { tolerations: [{ operator: "Exists" }] } }), service("m1")],
    [{ drain: "n1" }],
    { bound: ["m1-~1 n1"], ready: { m1: [1, 0, 1] }, drains: { n1: "completed" } },
  ),
  written(
    "one pod of a DaemonSet under the budget, and nothing may be evicted",
    // disruption.go getScaleController: DaemonSets have no scale.
    [
      nodes("n1 n2 n3"),
      deployment("m1", "n1 n2", { labels: { tier: "x" } }),
      daemonSet("agent", "n1 n2 n3", { labels: { tier: "x" } }),
      service("m1"),
      budget("m1", { max: 1, selector: { matchLabels: { tier: "x" } } }),
    ],
    [{ drain: "n1" }],
    { drains: { n1: "stalled" }, ready: { m1: [2, 2, 2] } },
  ),
  written(
    "a finalizer: a Deployment's pod is replaced at once, its object stays, and the drain waits for it",
    [nodes("n1 n2"), deployment("m1", "n1").map(kept), service("m1")],
    [{ drain: "n1" }],
    { bound: ["m1-~1 n2"], ready: { m1: [1, 0, 1] }, drains: { n1: "stalled" } },
  ),
  written(
    "and a StatefulSet's never, for want of its name",
    [nodes("n1 n2"), statefulSet("m1", "n1").map(kept), service("m1")],
    [{ drain: "n1" }],
    { bound: [], ready: { m1: [1, 0, 0] }, drains: { n1: "stalled" } },
  ),
  written(
    "seconds to be available do not matter to a budget: it counts Ready pods",
    [
      nodes("n1 n2 n3"),
      deployment("m1", "n1 n1", { with: { minReadySeconds: 3600 } }),
      [service("m1"), budget("m1", { max: 1, status: [2, 2] })],
    ],
    [{ drain: "n1" }],
    { ready: { m1: [2, 1, 2] }, drains: { n1: "completed" } },
  ),
  written(
    "a sidecar that starts first counts for as long as the pod runs",
    [
      nodes("n1 n2", { cpu: "4" }),
      deployment("m1", "n1", {
        cpu: "3",
        spec: {
          initContainers: [
            { name: "proxy", image: "p:1", restartPolicy: "Always", resources: { requests: { cpu: "2" } } },
          ],
        },
      }),
      service("m1"),
    ],
    [{ drain: "n1" }],
    {
      pending: [`m1-~1 0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. ${unhelpful(2)}`],
    },
  ),
  written(
    "a pod that must stand in the zone of another follows it into the next",
    [
      node("a1", { zone: "a" }),
      node("b1", { zone: "b" }),
      deployment("cache", "a1"),
      deployment("m1", "a1", {
        spec: {
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { labelSelector: { matchLabels: { app: "cache" } }, topologyKey: "topology.kubernetes.io/zone" },
              ],
            },
          },
        },
      }),
      service("m1"),
    ],
    [{ drain: "a1" }, all],
    { bound: ["cache-~1 b1", "m1-~1 b1"], ready: { m1: [1, 0, 1] } },
  ),
  written(
    "endpoints of a Service that publishes unready ones",
    [three, deployment("m1", "n1 n2!"), service("m1", "m1", "serving", { publishNotReadyAddresses: true })],
    [{ drain: "n1" }, { wait: "5m" }],
    { ready: { m1: [2, 2, 2] } },
  ),
  written(
    "a limit that came after the pods refuses their successors",
    [
      three,
      deployment("m1", "n1 n2"),
      service("m1"),
      {
        apiVersion: "v1",
        kind: "LimitRange",
        metadata: { name: "small", namespace: "serving" },
        spec: { limits: [{ type: "Container", max: { memory: "512Mi" } }] },
      },
    ],
    [{ drain: "n1" }, { wait: "5m" }],
    {
      bound: [],
      rejected: [
        'ReplicaSet.apps/serving/m1-6d4b75cb6d Error creating: pods "m1-6d4b75cb6d-<suffix>" is forbidden: maximum memory usage per Container is 512Mi, but request is 1Gi',
      ],
      ready: { m1: [2, 1, 1] },
    },
  ),
  written(
    "scaled up and back by hand: the newer one goes",
    [nodes("n1 n2"), deployment("m1", "n1"), service("m1")],
    [
      { cordon: ["n1"] },
      { scale: { ref: "Deployment/serving/m1", replicas: 2 } },
      all,
      { scale: { ref: "Deployment/serving/m1", replicas: 1 } },
      { wait: "1m" },
    ],
    { bound: ["m1-~1 n2"], deletions: ["m1-~1 by replicaset-controller"], ready: { m1: [1, 1, 1] } },
  ),
  written(
    "unless the older one is marked as cheap",
    [nodes("n1 n2"), cheap("n1", deployment("m1", "n1 n2")), service("m1")],
    [{ scale: { ref: "Deployment/serving/m1", replicas: 1 } }, { wait: "1m" }],
    { deletions: ["m1-bcdfg by replicaset-controller"], ready: { m1: [2, 1, 1] } },
  ),
];

for (const made of cases) test(made.name, async () => compare(await outcomeOf(made), made.expect));
