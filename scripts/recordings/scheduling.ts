import type { Fields, Item } from "./objects.ts";
import {
  antiAffinity,
  budget,
  deployment,
  node,
  nodes,
  pod,
  podOf,
  podSpec,
  priorityClass,
  quota,
  service,
  spread,
  statefulSet,
  uid,
} from "./objects.ts";
import type { Recording } from "./recording.ts";
import { recording } from "./recording.ts";
import { all, scale, three } from "./steps.ts";

const drain = (name: string): Fields => ({ drain: name });
const high = { priorityClassName: "interactive", priority: 1000 };
const gpuNodes = (names: string): Item[] => nodes(names, { gpu: 1 });
const fresh = (name: string, replicas: number, spec: Fields, labels: Fields = {}): Fields => ({
  apply: [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace: "serving" },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name, ...labels } }, spec },
      },
    },
  ],
});
const zones = [nodes("a1 a2", { zone: "a" }), nodes("b1 b2", { zone: "b" })];

const affinityTo = (app: string, topologyKey: string, required = true): Fields => {
  const term = { labelSelector: { matchLabels: { app } }, topologyKey };
  return {
    affinity: {
      podAffinity: required
        ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
        : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] },
    },
  };
};

const disk = (name: string, zone: string, claim?: string): Item => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    capacity: { storage: "10Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    storageClassName: "zonal",
    hostPath: { path: `/disks/${name}` },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: [zone] }] },
        ],
      },
    },
    ...(claim === undefined
      ? {}
      : {
          claimRef: {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            namespace: "serving",
            name: claim,
            uid: uid(`claim ${claim}`),
          },
        }),
  },
  status: { phase: claim === undefined ? "Available" : "Bound" },
});
const claim = (name: string, volume?: string): Item => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name,
    namespace: "serving",
    uid: uid(`claim ${name}`),
    ...(volume === undefined ? {} : { annotations: { "pv.kubernetes.io/bind-completed": "yes" } }),
  },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "10Gi" } },
    storageClassName: "zonal",
    ...(volume === undefined ? {} : { volumeName: volume }),
  },
  ...(volume === undefined
    ? {}
    : { status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "10Gi" } } }),
});
const storageClass = (mode: string): Item => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "zonal" },
  provisioner: "kubernetes.io/no-provisioner",
  volumeBindingMode: mode,
});
const mounts = (name: string): Fields => ({ volumes: [{ name: "cache", persistentVolumeClaim: { claimName: name } }] });

const deviceClass: Item = {
  apiVersion: "resource.k8s.io/v1",
  kind: "DeviceClass",
  metadata: { name: "gpu.example.com" },
  spec: { selectors: [{ cel: { expression: "device.driver == 'gpu.example.com'" } }] },
};
const devices = (on: string, count: number): Item => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  metadata: { name: `${on}-gpu` },
  spec: {
    nodeName: on,
    driver: "gpu.example.com",
    pool: { name: on, generation: 1, resourceSliceCount: 1 },
    devices: Array.from({ length: count }, (_, index) => ({
      name: `gpu-${index}`,
      attributes: { model: { string: "h200" } },
    })),
  },
});
const claimTemplate: Item = {
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaimTemplate",
  metadata: { name: "one-gpu", namespace: "serving" },
  spec: { spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example.com" } }] } } },
};
const claims = {
  container: { resources: { requests: { cpu: "1", memory: "1Gi" }, claims: [{ name: "gpu" }] } },
  spec: { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "one-gpu" }] },
};

/** Where pods go and why they wait: the scheduler in the middle of maintenance. */
export const placements: readonly Recording[] = [
  recording(
    "preempt-lower",
    "The replacement of a higher pod takes the place of a lower one.",
    [
      gpuNodes("n1 n2"),
      priorityClass("interactive", 1000),
      deployment("m1", "n1", { gpu: 1 }),
      deployment("m2", "n2", { gpu: 1, spec: high }),
      service("m1"),
      service("m2"),
    ],
    [drain("n2"), all],
  ),
  recording(
    "preempt-spares-budget",
    "Of two possible victims the one whose budget has room goes.",
    [
      gpuNodes("n1 n2 n3"),
      priorityClass("interactive", 1000),
      deployment("kept", "n1", { gpu: 1 }),
      deployment("free", "n2", { gpu: 1 }),
      deployment("m2", "n3", { gpu: 1, spec: high }),
      budget("kept", { min: 1, status: [1, 1] }),
    ],
    [drain("n3"), all],
  ),
  recording(
    "preempt-breaks-budget",
    "With no other victim the budget is broken.",
    [
      gpuNodes("n1 n2"),
      priorityClass("interactive", 1000),
      deployment("m1", "n1", { gpu: 1 }),
      deployment("m2", "n2", { gpu: 1, spec: high }),
      service("m1"),
      budget("m1", { min: 1, status: [1, 1] }),
    ],
    [drain("n2"), all],
  ),
  recording(
    "preempt-never",
    "preemptionPolicy Never: it waits.",
    [
      gpuNodes("n1 n2"),
      priorityClass("interactive", 1000, { preemptionPolicy: "Never" }),
      deployment("m1", "n1", { gpu: 1 }),
      deployment("m2", "n2", { gpu: 1, spec: { ...high, preemptionPolicy: "Never" } }),
    ],
    [drain("n2"), all],
  ),
  recording(
    "preempt-equal",
    "Equal priority moves nobody.",
    [gpuNodes("n1 n2"), deployment("m1", "n1", { gpu: 1 }), deployment("m2", "n2", { gpu: 1 })],
    [drain("n2"), all],
  ),
  recording(
    "preempt-fewest",
    "Of two nodes the one where the lowest pod alone has to go.",
    [
      nodes("n1 n2 n3", { cpu: "4" }),
      priorityClass("interactive", 1000),
      priorityClass("batch", 10),
      deployment("low", "n1", { cpu: "3" }),
      deployment("mid", "n2", { cpu: "3", spec: { priorityClassName: "batch", priority: 10 } }),
      deployment("m2", "n3", { cpu: "3", spec: high }),
    ],
    [drain("n3"), all],
  ),
  recording(
    "preempt-slow-victim",
    "The one in front waits, nominated, until the victim is gone.",
    [
      gpuNodes("n1 n2"),
      priorityClass("interactive", 1000),
      deployment("m1", "n1", { gpu: 1 }),
      deployment("m2", "n2", { gpu: 1, spec: high }),
    ],
    [drain("n2"), all],
    { timing: { podStop: { "serving/m1*": "5s" } } },
  ),
  recording(
    "spread-ignore",
    "nodeTaintsPolicy left at Ignore: the closed, empty node still counts, so the replacement waits.",
    [
      three,
      deployment("m1", "n1 n2 n3", { spec: spread("m1") }),
      service("m1"),
      budget("m1", { max: 1, status: [3, 3] }),
    ],
    [drain("n1"), all, { uncordon: ["n1"] }, all],
  ),
  recording(
    "spread-honor",
    "nodeTaintsPolicy Honor: the closed node does not count.",
    [
      three,
      deployment("m1", "n1 n2 n3", { spec: spread("m1", { nodeTaintsPolicy: "Honor" }) }),
      service("m1"),
      budget("m1", { max: 1, status: [3, 3] }),
    ],
    [drain("n1"), all],
  ),
  recording(
    "spread-min-domains",
    "minDomains 3 with two zones: the least counts as none, so one a zone.",
    [zones, service("m1")],
    [
      fresh("m1", 4, {
        ...podSpec("m1", {}),
        ...spread("m1", { topologyKey: "topology.kubernetes.io/zone", minDomains: 3 }),
      }),
      all,
    ],
  ),
  recording(
    "spread-zones-hard",
    "A hard spread over zones while a zone is closed: only as far as the skew lets it.",
    [
      zones,
      deployment("m1", "a1 b1", { spec: spread("m1", { topologyKey: "topology.kubernetes.io/zone" }) }),
      service("m1"),
    ],
    [{ cordon: ["a1", "a2"] }, scale("m1", 4), all, { uncordon: ["a1", "a2"] }, all],
  ),
  recording(
    "spread-zones-soft",
    "A soft spread over zones gives way.",
    [
      zones,
      deployment("m1", "a1 b1", {
        spec: spread("m1", { topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway" }),
      }),
      service("m1"),
    ],
    [{ cordon: ["a1", "a2"] }, drain("b1"), all],
  ),
  recording(
    "spread-affinity-policy",
    "nodeAffinityPolicy: a node outside the pod's own selector does not count unless told to.",
    [nodes("n1 n2", { labels: { pool: "x" } }), node("n3"), service("m1")],
    [
      fresh("honor", 3, { ...podSpec("honor", {}), nodeSelector: { pool: "x" }, ...spread("honor") }),
      fresh("ignore", 3, {
        ...podSpec("ignore", {}),
        nodeSelector: { pool: "x" },
        ...spread("ignore", { nodeAffinityPolicy: "Ignore" }),
      }),
      all,
    ],
  ),
  recording(
    "affinity-follows",
    "A pod that must be beside another waits while that one's node is closed.",
    [three, deployment("lead", "n1"), deployment("tail", "n1", { spec: affinityTo("lead", "kubernetes.io/hostname") })],
    [{ cordon: ["n1"] }, { evict: podOf("tail", 0) }, { wait: "2s" }, { evict: podOf("lead", 0) }, all],
  ),
  recording(
    "affinity-to-itself",
    "A pod that must be beside its own kind may start alone.",
    [zones],
    [fresh("m1", 3, { ...podSpec("m1", {}), ...affinityTo("m1", "topology.kubernetes.io/zone") }), all],
  ),
  recording(
    "anti-affinity-pins",
    "As many nodes as replicas: the replacement waits for its node.",
    [nodes("n1 n2"), deployment("m1", "n1 n2", { spec: antiAffinity("m1") }), service("m1")],
    [drain("n1"), all, { uncordon: ["n1"] }, all],
  ),
  recording(
    "anti-affinity-existing",
    "The pods that are there keep a newcomer away that asks for nothing.",
    [nodes("n1 n2"), deployment("m1", "n1 n2", { spec: antiAffinity("m2") })],
    [fresh("m2", 1, podSpec("m2", {})), all],
  ),
  recording(
    "anti-affinity-zone",
    "Apart by zone: a third has nowhere to go.",
    [zones, deployment("m1", "a1 b1", { spec: antiAffinity("m1", { topologyKey: "topology.kubernetes.io/zone" }) })],
    [scale("m1", 3), all],
  ),
  recording(
    "host-port",
    "A host port is taken: the second pod needs another node.",
    [
      nodes("n1 n2"),
      deployment("m1", "n1 n2", { container: { ports: [{ containerPort: 8000, hostPort: 8000 }] } }),
      service("m1"),
    ],
    [scale("m1", 3), all, { evict: podOf("m1", 0) }, all],
  ),
  recording(
    "taint-tolerations",
    "Tainted nodes are for those who tolerate them.",
    [nodes("n1"), nodes("g1 g2", { taints: [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }] })],
    [
      fresh("plain", 1, podSpec("plain", { cpu: "6" })),
      all,
      fresh("more", 1, podSpec("more", { cpu: "6" })),
      fresh("exists", 2, {
        ...podSpec("exists", { cpu: "6" }),
        tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }],
        nodeSelector: { "kubernetes.io/os": "linux" },
      }),
      { wait: "4s" },
    ],
  ),
  recording(
    "node-selector",
    "Selectors and affinity leave one node, and it is closed.",
    [
      nodes("n1", { labels: { disk: "ssd" } }),
      nodes("n2 n3"),
      deployment("m1", "n1", { spec: { nodeSelector: { disk: "ssd" } } }),
      service("m1"),
    ],
    [drain("n1"), all],
  ),
  recording(
    "insufficient",
    "Too little of two things, in one message.",
    [nodes("n1 n2", { cpu: "4", memory: "4Gi", pods: "3" }), deployment("m1", "n1 n2", { cpu: "3", memory: "3Gi" })],
    [scale("m1", 3), all],
  ),
  recording(
    "too-many-pods",
    "A node takes only so many pods.",
    [nodes("n1", { pods: "2" }), deployment("m1", "n1 n1", { cpu: "100m" })],
    [scale("m1", 3), all],
  ),
  recording(
    "scheduling-gates",
    "A gated pod is not looked at; it can be evicted all the same.",
    [three, deployment("m1", "n1")],
    [fresh("m2", 1, { ...podSpec("m2", {}), schedulingGates: [{ name: "example.com/hold" }] }), { wait: "3s" }],
  ),
  recording(
    "other-scheduler",
    "A pod of another scheduler is nobody's.",
    [three],
    [fresh("m2", 1, { ...podSpec("m2", {}), schedulerName: "other" }), { wait: "3s" }],
  ),
  recording(
    "quota-frees",
    "Quota comes back when the old pod is gone: the replacement is refused first, then made.",
    [
      gpuNodes("n1 n2"),
      quota("gpus", { "requests.nvidia.com/gpu": "1" }, { "requests.nvidia.com/gpu": "1" }),
      deployment("m1", "n1", { gpu: 1 }),
      service("m1"),
    ],
    [drain("n1"), all],
    { timing: { podStop: { "*": "2s" } } },
  ),
  recording(
    "volume-pins-zone",
    "A volume of one zone: its only other node there is closed.",
    [
      node("a1", { zone: "a" }),
      nodes("b1 b2", { zone: "b" }),
      storageClass("WaitForFirstConsumer"),
      disk("disk-a", "a", "cache-m1-0"),
      claim("cache-m1-0", "disk-a"),
      statefulSet("m1", "a1", { spec: mounts("cache-m1-0") }),
      service("m1"),
    ],
    [drain("a1"), all],
  ),
  recording(
    "volume-first-consumer",
    "WaitForFirstConsumer: the pod's place decides the volume.",
    [
      zones,
      storageClass("WaitForFirstConsumer"),
      disk("disk-a", "a"),
      disk("disk-b", "b"),
      claim("cache"),
      deployment("filler", "a1 a2", { cpu: "8" }),
    ],
    [fresh("m1", 1, { ...podSpec("m1", {}), ...mounts("cache") }), all],
  ),
  recording(
    "volume-immediate",
    "Immediate, and no volume fits: the pod waits for the claim.",
    [three, storageClass("Immediate"), claim("cache")],
    [fresh("m1", 1, { ...podSpec("m1", {}), ...mounts("cache") }), all],
  ),
  recording(
    "volume-missing-claim",
    "The claim does not exist.",
    [three],
    [fresh("m1", 1, { ...podSpec("m1", {}), ...mounts("nothing") }), all],
  ),
  recording(
    "devices-from-template",
    "A device claim a pod: made, allocated, and given back with the pod.",
    [three, deviceClass, devices("n1", 1), devices("n2", 1), claimTemplate, service("m1")],
    [fresh("m1", 2, { ...podSpec("m1", claims) }), all, { evict: "serving/m1-~r1-~1" }, all],
  ),
  recording(
    "devices-run-out",
    "No device left for a third; after one node is closed the second waits too.",
    [three, deviceClass, devices("n1", 1), devices("n2", 1), claimTemplate],
    [fresh("m1", 3, { ...podSpec("m1", claims) }), { wait: "5s" }, drain("n1"), { uncordon: ["n1"] }, { wait: "4s" }],
  ),
  recording(
    "lone-pod-placed",
    "A bare pod is placed and stays; drained with --force it is lost.",
    [three, pod("solo", "n1")],
    [
      {
        apply: [
          {
            apiVersion: "v1",
            kind: "Pod",
            metadata: { name: "guest", namespace: "serving", labels: { app: "guest" } },
            spec: podSpec("guest", {}),
          },
        ],
      },
      { wait: "4s" },
      { drain: "n1", flags: ["--ignore-daemonsets", "--force"] },
    ],
  ),
];
