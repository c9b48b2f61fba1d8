import type { Fields, Item } from "./objects.ts";
import {
  antiAffinity,
  budget,
  customResource,
  daemonSet,
  deployment,
  loneSet,
  madeBy,
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
import { all, ref, roll, scale, surge, three, unreachable } from "./steps.ts";

const two = nodes("n1 n2");
const four = nodes("n1 n2 n3 n4");
const patch = (name: string, spec: Fields, kind = "Deployment"): Fields => ({
  patch: { spec },
  target: ref(name, kind),
  type: "strategic",
});
const apply = (...items: readonly Item[]): Fields => ({ apply: items });
const fresh = (kind: "Deployment" | "StatefulSet", name: string, spec: Fields, podFields: Fields): Item => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: "serving" },
  spec: {
    selector: { matchLabels: { app: name } },
    ...(kind === "StatefulSet" ? { serviceName: name } : {}),
    ...spec,
    template: { metadata: { labels: { app: name } }, spec: podFields },
  },
});
const high = { priorityClassName: "interactive", priority: 1000 };
const middle = { priorityClassName: "batch", priority: 10 };
const withMetadata = (item: Item, more: Fields): Item => ({ ...item, metadata: { ...item.metadata, ...more } });
const only = (app: string, more: Fields): Fields => ({
  labelSelector: { matchLabels: { app } },
  topologyKey: "kubernetes.io/hostname",
  ...more,
});

/** A disk of one node or zone, with the claim that holds it. */
const disk = (
  name: string,
  key: string,
  value: string,
  claimed: boolean,
  modes = ["ReadWriteOnce"],
): readonly Item[] => [
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `disk-${name}` },
    spec: {
      capacity: { storage: "10Gi" },
      accessModes: modes,
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: "local",
      hostPath: { path: `/disks/${name}` },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: [value] }] }] },
      },
      ...(claimed
        ? {
            claimRef: {
              apiVersion: "v1",
              kind: "PersistentVolumeClaim",
              namespace: "serving",
              name,
              uid: uid(`claim ${name}`),
            },
          }
        : {}),
    },
    status: { phase: claimed ? "Bound" : "Available" },
  },
  ...(claimed
    ? [
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: {
            name,
            namespace: "serving",
            uid: uid(`claim ${name}`),
            annotations: { "pv.kubernetes.io/bind-completed": "yes" },
          },
          spec: {
            accessModes: modes,
            resources: { requests: { storage: "10Gi" } },
            storageClassName: "local",
            volumeName: `disk-${name}`,
          },
          status: { phase: "Bound", accessModes: modes, capacity: { storage: "10Gi" } },
        },
      ]
    : []),
];
const localClass: Item = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "local" },
  provisioner: "kubernetes.io/no-provisioner",
  volumeBindingMode: "WaitForFirstConsumer",
};
const mounts = (claim: string): Fields => ({
  volumes: [{ name: "cache", persistentVolumeClaim: { claimName: claim } }],
});
const claimTemplates = {
  volumeClaimTemplates: [
    {
      metadata: { name: "cache" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "local",
        resources: { requests: { storage: "10Gi" } },
      },
    },
  ],
};

const deviceClass: Item = {
  apiVersion: "resource.k8s.io/v1",
  kind: "DeviceClass",
  metadata: { name: "gpu.example.com" },
  spec: { selectors: [{ cel: { expression: "device.driver == 'gpu.example.com'" } }] },
};
const slice = (on: string, count: number, model = "h200"): Item => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  metadata: { name: `${on}-gpu` },
  spec: {
    nodeName: on,
    driver: "gpu.example.com",
    pool: { name: on, generation: 1, resourceSliceCount: 1 },
    devices: Array.from({ length: count }, (_, index) => ({
      name: `gpu-${index}`,
      attributes: { model: { string: model } },
    })),
  },
});
const oneDevice = { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example.com" } }] };
const sharedClaim: Item = {
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name: "shared", namespace: "serving" },
  spec: { devices: oneDevice },
};
const claimTemplate = (name: string, devices: Fields): Item => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaimTemplate",
  metadata: { name, namespace: "serving" },
  spec: { spec: { devices } },
});
const claims = (from: Fields): { readonly container: Fields; readonly spec: Fields } => ({
  container: { resources: { requests: { cpu: "1", memory: "1Gi" }, claims: [{ name: "gpu" }] } },
  spec: { resourceClaims: [{ name: "gpu", ...from }] },
});

const job = (name: string, spec: Fields): Item => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name, namespace: "serving" },
  spec: {
    ...spec,
    template: { metadata: { labels: { app: name } }, spec: { ...podSpec(name, {}), restartPolicy: "Never" } },
  },
});
const limitRange = (defaultRequest: Fields): Item => ({
  apiVersion: "v1",
  kind: "LimitRange",
  metadata: { name: "defaults", namespace: "serving" },
  spec: { limits: [{ type: "Container", defaultRequest }] },
});
/** A container that asks for nothing. */
const bare = { container: { resources: {} } };

/** Budgets, and what they count. */
const budgets: readonly Recording[] = [
  recording(
    "kind-drain-after-delete",
    "A pod that is being deleted already does not hold the drain beyond its own end, whatever the budget says.",
    [
      two,
      statefulSet("m1", "n1 n2", { spec: antiAffinity("m1") }),
      service("m1"),
      budget("m1", { min: 1, status: [2, 2] }),
    ],
    [{ delete: "serving/m1-1" }, { drain: "n2" }],
    { timing: { podStop: { "*": "6s" } } },
  ),
  recording(
    "kind-one-unready-of-three",
    "One of three not Ready: the healthy ones' node waits; with the sick one moved first all goes.",
    [four, deployment("m1", "n1 n2! n3"), service("m1"), budget("m1", { min: 2, status: [3, 2] })],
    [{ drain: "n1" }, { drain: "n2" }, all, { drain: "n1" }],
  ),
  recording(
    "kind-same-labels-elsewhere",
    "The same labels in another namespace count for nothing.",
    [
      three,
      deployment("m1", "n1"),
      deployment("m1", "n2 n3", { ns: "other" }),
      service("m1"),
      service("m1", "m1", "other"),
      budget("m1", { min: 1, status: [1, 1] }),
    ],
    [{ drain: "n1" }, { drain: "n2" }],
  ),
  recording(
    "kind-budget-over-two-apps",
    "One budget over two apps: one eviction anywhere uses it up.",
    [
      three,
      deployment("gw", "n1", { labels: { tier: "path" } }),
      deployment("picker", "n1 n2", { labels: { tier: "path" } }),
      service("gw"),
      service("picker"),
      budget("path", { max: 1, selector: { matchLabels: { tier: "path" } }, status: [3, 3] }),
    ],
    [{ drain: "n1" }],
  ),
  recording(
    "kind-budget-job-beside",
    "A Job's pod under the selector: its owner has no scale, so the whole budget fails.",
    [
      three,
      deployment("m1", "n1 n2", { labels: { tier: "x" } }),
      service("m1"),
      budget("all", { max: 1, selector: {}, status: [2, 2] }),
    ],
    [apply(job("load", {})), { wait: "5s" }, { drain: "n1" }],
  ),
  recording(
    "kind-budget-bare-beside",
    "A bare pod beside an owned one: counted as healthy, not as expected.",
    [
      three,
      deployment("m1", "n1 n2"),
      pod("extra", "n3", { labels: { app: "m1" } }),
      service("m1"),
      budget("m1", { max: 1, status: [2, 3] }),
    ],
    [{ drain: "n1" }, all, { drain: "n2" }, all, { evict: "serving/extra" }],
  ),
  recording(
    "kind-budget-not-in",
    "A NotIn selector takes everybody else in the namespace.",
    [
      three,
      deployment("m1", "n1"),
      deployment("gw", "n2"),
      service("m1"),
      budget("rest", {
        min: 1,
        selector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["m1"] }] },
        status: [1, 1],
      }),
    ],
    [{ drain: "n1" }, { drain: "n2" }],
  ),
  recording(
    "kind-all-of-four",
    "100%: nothing ever goes.",
    [three, deployment("m1", "n1 n2 n2 n3"), service("m1"), budget("m1", { min: "100%", status: [4, 4] })],
    [{ drain: "n1" }],
  ),
  recording(
    "kind-half-of-five-on-one-node",
    "Half of five: three stay, five on one node leave by twos.",
    [three, deployment("m1", "n1 n1 n1 n1 n1"), service("m1"), budget("m1", { min: "50%", status: [5, 5] })],
    [{ drain: "n1" }],
  ),
  recording(
    "kind-ten-percent-of-one",
    "10% of one may be missing: rounded up, so the only one goes.",
    [two, deployment("m1", "n1"), service("m1"), budget("m1", { max: "10%", status: [1, 1] })],
    [{ drain: "n1" }],
  ),
  recording(
    "kind-scaled-past-the-room",
    "Scaled up past the room: the budget wants the pods that wait, too.",
    [
      nodes("n1 n2 n3", { gpu: 1 }),
      statefulSet("m1", "n1 n2", { gpu: 1, with: { podManagementPolicy: "Parallel" } }),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
    ],
    [scale("m1", 5, "StatefulSet"), all, { drain: "n1" }],
  ),
  recording(
    "kind-budget-daemon",
    "A budget over a DaemonSet's pods cannot be counted; an eviction is refused.",
    [two, daemonSet("agent", "n1 n2"), budget("agent", { max: 1 })],
    [{ evict: "serving/agent-bcdfg" }, { drain: "n1" }],
  ),
  recording(
    "kind-daemon-evicted",
    "A DaemonSet's pod that is evicted comes back on its closed node.",
    [two, daemonSet("agent", "n1 n2"), service("agent")],
    [{ cordon: ["n1"] }, { evict: "serving/agent-bcdfg" }],
  ),
  recording(
    "kind-budget-in-between",
    "A budget that comes between two drains holds from then on.",
    [three, deployment("m1", "n1 n2"), service("m1")],
    [{ drain: "n1" }, all, apply(budget("m1", { max: 0 })), { wait: "2s" }, { drain: "n2" }],
  ),
  recording(
    "kind-wants-more-than-there-are",
    "A floor above the replicas: nobody ever goes, also after one more.",
    [three, deployment("m1", "n1 n2"), service("m1"), budget("m1", { min: 3, status: [2, 2] })],
    [{ drain: "n1" }, scale("m1", 3), all, { drain: "n1" }, scale("m1", 4), all, { drain: "n1" }],
  ),
  recording(
    "kind-failed-left-over",
    "A failed pod left lying: it counts as expected under an integer floor, is made up for, and is swept off the node.",
    [
      three,
      deployment("m1", "n1 n2"),
      withStatus(pod("m1-old", "n1", { labels: { app: "m1" } }), { phase: "Failed", reason: "Evicted" }),
      service("m1"),
      budget("m1", { min: 1, status: [3, 2] }),
    ],
    [{ drain: "n1", flags: ["--ignore-daemonsets", "--force"] }],
  ),
  recording(
    "kind-two-drains-one-set",
    "Two nodes of a StatefulSet drained by one command under one budget.",
    [four, statefulSet("m1", "n1 n2 n3"), service("m1"), budget("m1", { max: 1, status: [3, 3] })],
    [{ drain: ["n1", "n2"] }],
  ),
  recording(
    "kind-two-drains-unguarded-set",
    "The same without a budget: two at once, made again in order.",
    [four, statefulSet("m1", "n1 n2 n3"), service("m1")],
    [{ drain: ["n1", "n2"], concurrent: true }],
  ),
  recording(
    "kind-finalizer",
    "A pod with a finalizer nobody takes off: evicted, replaced, and never gone; the drain waits for ever.",
    [
      three,
      deployment("m1", "n1 n2").map((item) =>
        item.metadata.name === "m1-6d4b75cb6d-bcdfg" ? withMetadata(item, { finalizers: ["example.com/hold"] }) : item,
      ),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
    ],
    [{ drain: "n1", stopAfter: "8s" }, { drain: "n2" }],
  ),
  recording(
    "kind-custom-owner",
    "An owner that kubectl does not know is an owner all the same: no --force needed.",
    [
      customResource("example.com", "v1", "Engine", "engines"),
      two,
      {
        apiVersion: "example.com/v1",
        kind: "Engine",
        metadata: { name: "m1", namespace: "serving", uid: uid("engine m1") },
      },
      pod("m1-a", "n1", { owner: { apiVersion: "example.com/v1", kind: "Engine", name: "m1", uid: uid("engine m1") } }),
      service("m1", "m1-a"),
    ],
    [{ drain: "n1" }],
  ),
  recording(
    "kind-drain-during-rollout",
    "A drain in the middle of a rollout: surge pods count, old ones go when the budget lets them.",
    [
      four,
      deployment("m1", "n1 n2 n3", { with: surge(1, 0) }),
      service("m1"),
      budget("m1", { max: 1, status: [3, 3] }),
    ],
    [roll("m1"), { drain: "n1" }, all],
  ),
];

function withStatus(item: Item, status: Fields): Item {
  return { ...item, status };
}

/** Pods with names and volumes. */
const named: readonly Recording[] = [
  recording(
    "kind-set-drained-in-parallel-ordered",
    "Three nodes of an ordered set closed at once with one node free: back one after the other.",
    [four, statefulSet("m1", "n1 n2 n3"), service("m1"), budget("m1", { min: 1, status: [3, 3] })],
    [{ drain: ["n1", "n2", "n3"], concurrent: true }, all],
  ),
  recording(
    "kind-set-low-one-waits",
    "The first pod of an ordered set has no node: the second, once gone, is not made.",
    [
      nodes("n1", { labels: { disk: "ssd" } }),
      nodes("n2 n3"),
      localClass,
      disk("cache-m1-0", "kubernetes.io/hostname", "n1", true),
      statefulSet("m1", "n1 n2", {}).map((item) =>
        item.kind === "Pod" && item.metadata.name === "m1-0" ? withVolume(item, "cache-m1-0") : item,
      ),
      service("m1"),
    ],
    [{ cordon: ["n2"] }, { evict: "serving/m1-1" }, all],
  ),
  recording(
    "kind-set-update-broken-and-back",
    "An ordered set's update that finds no node, then taken back: the waiting pod is not replaced by itself.",
    [three, service("m1")],
    [
      apply(fresh("StatefulSet", "m1", { replicas: 2 }, podSpec("m1", {}))),
      all,
      patch(
        "m1",
        { template: { spec: { containers: [{ name: "main", resources: { requests: { cpu: "20" } } }] } } },
        "StatefulSet",
      ),
      all,
      patch(
        "m1",
        { template: { spec: { containers: [{ name: "main", resources: { requests: { cpu: "1" } } }] } } },
        "StatefulSet",
      ),
      all,
      { delete: "serving/m1-1" },
      all,
    ],
  ),
  recording(
    "kind-set-update-broken-and-back-parallel",
    "The same of a parallel set.",
    [three, service("m1")],
    [
      apply(fresh("StatefulSet", "m1", { replicas: 2, podManagementPolicy: "Parallel" }, podSpec("m1", {}))),
      all,
      patch(
        "m1",
        { template: { spec: { containers: [{ name: "main", resources: { requests: { cpu: "20" } } }] } } },
        "StatefulSet",
      ),
      all,
      patch(
        "m1",
        { template: { spec: { containers: [{ name: "main", resources: { requests: { cpu: "1" } } }] } } },
        "StatefulSet",
      ),
      all,
    ],
  ),
  recording(
    "kind-set-max-unavailable-off",
    "maxUnavailable of a StatefulSet's update is not looked at in this version.",
    [three, service("m1")],
    [
      apply(
        fresh(
          "StatefulSet",
          "m1",
          {
            replicas: 4,
            podManagementPolicy: "Parallel",
            updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } },
          },
          podSpec("m1", {}),
        ),
      ),
      all,
      roll("m1", "StatefulSet"),
      all,
    ],
  ),
  recording(
    "kind-set-shrinks-past-unready",
    "Fewer replicas while the first is not Ready.",
    [three, statefulSet("m1", "n1! n2 n3"), service("m1")],
    [scale("m1", 1, "StatefulSet"), { wait: "4s" }],
  ),
  recording(
    "kind-set-min-ready",
    "minReadySeconds: the next is made that much later.",
    [three, service("m1")],
    [
      apply(fresh("StatefulSet", "m1", { replicas: 2, minReadySeconds: 4 }, podSpec("m1", {}))),
      all,
      { wait: "6s" },
      roll("m1", "StatefulSet"),
      all,
    ],
    { quiet: "8s" },
  ),
  recording(
    "kind-set-local-disks",
    "A set with a disk on each node: the drained one waits for its node to come back.",
    [
      three,
      localClass,
      disk("l1", "kubernetes.io/hostname", "n1", false),
      disk("l2", "kubernetes.io/hostname", "n2", false),
      disk("l3", "kubernetes.io/hostname", "n3", false),
      service("m1"),
      budget("m1", { max: 1 }),
    ],
    [
      apply(
        fresh(
          "StatefulSet",
          "m1",
          { replicas: 2, ...claimTemplates },
          {
            ...podSpec("m1", { container: { volumeMounts: [{ name: "cache", mountPath: "/c" }] } }),
            ...antiAffinity("m1"),
          },
        ),
      ),
      all,
      { drain: ["n1", "n2", "n3"], concurrent: true },
      { uncordon: ["n1", "n2", "n3"] },
      all,
    ],
  ),
  recording(
    "kind-deployment-one-disk",
    "A Deployment whose one claim allows a single pod: the new pod of a rollout never gets it while the old one has it.",
    [
      three,
      localClass,
      disk("cache", "kubernetes.io/os", "linux", true, ["ReadWriteOncePod"]),
      deployment("m1", "n1", { spec: mounts("cache"), with: surge(1, 0) }),
      service("m1"),
    ],
    [roll("m1"), all],
  ),
  recording(
    "kind-deployment-one-disk-drained",
    "The same drained: the replacement waits for the old one to be gone.",
    [
      three,
      localClass,
      disk("cache", "kubernetes.io/os", "linux", true, ["ReadWriteOncePod"]),
      deployment("m1", "n1", { spec: mounts("cache") }),
      service("m1"),
    ],
    [{ drain: "n1" }, all],
    { timing: { podStop: { "*": "4s" } } },
  ),
  recording(
    "kind-deployment-one-disk-recreate",
    "With Recreate the rollout gets through.",
    [
      three,
      localClass,
      disk("cache", "kubernetes.io/os", "linux", true, ["ReadWriteOncePod"]),
      deployment("m1", "n1", { spec: mounts("cache"), with: { strategy: { type: "Recreate" } } }),
      service("m1"),
    ],
    [roll("m1"), all],
  ),
  recording(
    "kind-two-zones-disks",
    "A disk in each zone, one node each: the drained zone's pod waits, the other serves.",
    [
      node("a1", { zone: "a" }),
      node("b1", { zone: "b" }),
      node("b2", { zone: "b" }),
      localClass,
      disk("cache-m1-0", "topology.kubernetes.io/zone", "a", true),
      disk("cache-m1-1", "topology.kubernetes.io/zone", "b", true),
      statefulSet("m1", "a1 b1").map((item) =>
        item.kind === "Pod" ? withVolume(item, `cache-${item.metadata.name}`) : item,
      ),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
    ],
    [{ cordon: ["b1"] }, { evict: "serving/m1-1" }, all],
  ),
];

function withVolume(item: Item, claim: string): Item {
  const spec: unknown = item["spec"];
  return { ...item, spec: { ...(typeof spec === "object" ? spec : {}), ...mounts(claim) } };
}

/** Rollouts beside maintenance. */
const rollouts: readonly Recording[] = [
  recording(
    "kind-rollout-no-gpu-left",
    "Every GPU in use: the surge pod of a rollout waits.",
    [nodes("n1 n2", { gpu: 1 }), deployment("m1", "n1 n2", { gpu: 1, with: surge(1, 0) }), service("m1")],
    [roll("m1"), all],
  ),
  recording(
    "kind-rollout-in-place",
    "None more, one less: in place on the same GPUs.",
    [nodes("n1 n2", { gpu: 1 }), deployment("m1", "n1 n2", { gpu: 1, with: surge(0, 1) }), service("m1")],
    [roll("m1"), all],
  ),
  recording(
    "kind-rollout-on-closed-nodes",
    "A restart moves everything off closed nodes without a budget being asked.",
    [four, deployment("m1", "n1 n2"), service("m1"), budget("m1", { max: 0, status: [2, 2] })],
    [{ cordon: ["n1", "n2"] }, roll("m1"), all, { drain: ["n1", "n2"] }],
  ),
  recording(
    "kind-recreate-slow-stop",
    "Recreate waits until the last old one is gone.",
    [three, deployment("m1", "n1 n2", { with: { strategy: { type: "Recreate" } } }), service("m1")],
    [roll("m1"), all],
    { timing: { podStop: { "*": "5s" } } },
  ),
  recording(
    "kind-paused-drained",
    "A paused Deployment still makes up for evicted pods.",
    [three, deployment("m1", "n1 n2", { with: { paused: true } }), service("m1")],
    [roll("m1"), { wait: "2s" }, { drain: "n1" }, all],
  ),
  recording(
    "kind-min-ready-between-drains",
    "A budget counts Ready, not available: minReadySeconds does not slow a drain.",
    [
      three,
      deployment("m1", "n1 n1", { with: { minReadySeconds: 30 } }),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
    ],
    [{ drain: "n1" }],
  ),
  recording(
    "kind-stuck-rollout-drained",
    "A rollout that is stuck half way, and then a drain: the old pods that serve are guarded.",
    [three, deployment("m1", "n1 n2"), service("m1"), budget("m1", { max: 1, status: [2, 2] })],
    [
      patch("m1", { template: { spec: { containers: [{ name: "main", resources: { requests: { cpu: "20" } } }] } } }),
      { wait: "4s" },
      { drain: "n1" },
    ],
  ),
  recording(
    "kind-rollout-host-network",
    "Host network: two nodes, two pods, and a surge pod without a port.",
    [
      two,
      deployment("gw", "n1 n2", {
        container: { ports: [{ containerPort: 8443 }] },
        spec: { hostNetwork: true },
        with: surge(1, 0),
      }).map((item) => (item.kind === "Pod" ? hostPorts(item) : item)),
      service("gw"),
    ],
    [roll("gw"), all],
  ),
  recording(
    "kind-rollout-apart-one-spare",
    "Kept apart with one node to spare: one after the other.",
    [three, deployment("m1", "n1 n2", { spec: antiAffinity("m1"), with: surge(1, 0) }), service("m1")],
    [roll("m1"), all],
  ),
  recording(
    "kind-rollout-apart-spare-closed",
    "The spare node is closed for maintenance: the rollout stands until it is back.",
    [three, deployment("m1", "n1 n2", { spec: antiAffinity("m1"), with: surge(1, 0) }), service("m1")],
    [{ cordon: ["n3"] }, roll("m1"), all, { uncordon: ["n3"] }, all],
  ),
  recording(
    "kind-rollout-lone-set",
    "A ReplicaSet nobody owns takes a new template and makes nothing anew; what is evicted comes back in the new form.",
    [three, loneSet("ReplicaSet", "m1", "n1 n2"), service("m1")],
    [roll("m1", "ReplicaSet"), { wait: "2s" }, { drain: "n1" }, all],
  ),
];

function hostPorts(item: Item): Item {
  return {
    ...item,
    spec: JSON.parse(
      JSON.stringify(item["spec"]).replaceAll('"containerPort":8443', '"containerPort":8443,"hostPort":8443'),
    ),
  };
}

/** Where pods go, and what stands in the way. */
const places: readonly Recording[] = [
  recording(
    "kind-limit-range",
    "A namespace's default request is part of the replacement, though not of the template.",
    [
      two,
      limitRange({ cpu: "6" }),
      deployment("other", "n2", { cpu: "4" }),
      deployment("m1", "n1", bare),
      service("m1"),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-quota-wants-requests",
    "A quota over requests came after the pods: a template without requests is refused.",
    [two, quota("cpu", { "requests.cpu": "20" }, { "requests.cpu": "0" }), deployment("m1", "n1", bare), service("m1")],
    [{ drain: "n1" }, { wait: "3s" }],
  ),
  recording(
    "kind-quota-priority",
    "A quota of one priority class counts only its pods.",
    [
      two,
      priorityClass("interactive", 1000),
      {
        ...quota("high", { pods: "1" }, { pods: "1" }),
        spec: {
          hard: { pods: "1" },
          scopeSelector: {
            matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["interactive"] }],
          },
        },
      },
      deployment("m1", "n1", { spec: high }),
      deployment("m2", "n1"),
      service("m1"),
      service("m2"),
    ],
    [scale("m2", 2), scale("m1", 2), { wait: "4s" }],
  ),
  recording(
    "kind-runtime-overhead",
    "A runtime's overhead is added to the replacement.",
    [
      two,
      {
        apiVersion: "node.k8s.io/v1",
        kind: "RuntimeClass",
        metadata: { name: "heavy" },
        handler: "heavy",
        overhead: { podFixed: { cpu: "5" } },
      },
      deployment("other", "n2", { cpu: "3" }),
      deployment("m1", "n1", { spec: { runtimeClassName: "heavy" } }).map((item) =>
        item.kind === "Pod" ? withSpec(item, { overhead: { cpu: "5" } }) : item,
      ),
      service("m1"),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-global-default-priority",
    "A default priority class gives new pods a rank that the old ones do not have.",
    [
      nodes("n1 n2", { gpu: 1 }),
      priorityClass("usual", 500, { globalDefault: true }),
      deployment("m1", "n1", { gpu: 1 }),
      deployment("m2", "n2", { gpu: 1 }),
      service("m1"),
      service("m2"),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-preempt-chain",
    "The high one pushes the middle one, which pushes the low one.",
    [
      nodes("n1 n2 n3", { gpu: 1 }),
      priorityClass("interactive", 1000),
      priorityClass("batch", 10),
      node("n4", { gpu: 1, unschedulable: true }),
      deployment("m1", "n1", { gpu: 1, spec: high }),
      deployment("m2", "n2", { gpu: 1, spec: { ...middle, nodeSelector: { "kubernetes.io/os": "linux" } } }),
      deployment("m3", "n3", { gpu: 1 }),
      service("m1"),
      service("m2"),
      service("m3"),
      budget("m3", { max: 0, status: [1, 1] }),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-preempt-two-for-one",
    "Two small pods make room for one large.",
    [
      nodes("n1 n2", { gpu: 2 }),
      priorityClass("interactive", 1000),
      deployment("big", "n1", { gpu: 2, spec: high }),
      deployment("small", "n2 n2", { gpu: 1 }),
      service("small"),
      budget("small", { min: 1, status: [2, 2] }),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-preempt-of-own-kind-kept",
    "Only pods of a lower rank go: of two on the node the higher stays.",
    [
      nodes("n1 n2", { cpu: "4" }),
      priorityClass("interactive", 1000),
      deployment("m1", "n1", { cpu: "2", spec: high }),
      deployment("m2", "n2", { cpu: "2", spec: high }),
      deployment("low", "n2", { cpu: "2" }),
      service("low"),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-spread-two-keys",
    "Spread over zones and over nodes, both hard, while a node is closed.",
    [
      nodes("a1 a2", { zone: "a" }),
      nodes("b1 b2", { zone: "b" }),
      deployment("m1", "a1 a2 b1 b2", {
        spec: {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "topology.kubernetes.io/zone",
              whenUnsatisfiable: "DoNotSchedule",
              labelSelector: { matchLabels: { app: "m1" } },
            },
            {
              maxSkew: 1,
              topologyKey: "kubernetes.io/hostname",
              whenUnsatisfiable: "DoNotSchedule",
              labelSelector: { matchLabels: { app: "m1" } },
              nodeTaintsPolicy: "Honor",
            },
          ],
        },
      }),
      service("m1"),
    ],
    [{ drain: "a1" }, all, { drain: "b1" }, all],
  ),
  recording(
    "kind-spread-selector-misses",
    "A spread whose selector does not match its own pods holds nothing.",
    [
      three,
      deployment("m1", "n1 n1", { spec: spread("m1", { labelSelector: { matchLabels: { app: "else" } } }) }),
      service("m1"),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-spread-tainted-pool",
    "A hard spread by node beside a GPU pool that the pods may not use.",
    [
      nodes("s1 s2"),
      nodes("g1", { taints: [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }] }),
      deployment("gw", "s1 s2", { spec: spread("gw") }),
      service("gw"),
      budget("gw", { max: 1, status: [2, 2] }),
    ],
    [{ drain: "s1" }, all],
  ),
  recording(
    "kind-spread-key-missing",
    "Nodes without the zone label are no place for a hard spread over zones.",
    [
      node("a1", { zone: "a" }),
      nodes("n2 n3"),
      deployment("m1", "a1", { spec: spread("m1", { topologyKey: "topology.kubernetes.io/zone" }) }),
      service("m1"),
    ],
    [{ drain: "a1" }, all],
  ),
  recording(
    "kind-apart-from-other-namespace",
    "Kept apart from an app of another namespace.",
    [
      two,
      deployment("tenant", "n2", { ns: "other" }),
      deployment("m1", "n1", {
        spec: {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [only("tenant", { namespaces: ["other"] })],
            },
          },
        },
      }),
      service("m1"),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-beside-cache-in-zone",
    "A model that has to be in the zone of its cache, and that zone is closed.",
    [
      nodes("a1 a2", { zone: "a" }),
      nodes("b1", { zone: "b" }),
      deployment("cache", "a1"),
      deployment("m1", "a2", {
        spec: {
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                only("cache", { topologyKey: "topology.kubernetes.io/zone" }),
              ],
            },
          },
        },
      }),
      service("m1"),
    ],
    [{ cordon: ["a1"] }, { drain: "a2" }, all],
  ),
  recording(
    "kind-volume-limit",
    "A node takes only so many volumes of a driver.",
    [
      two,
      csiNode("n1", 1),
      csiNode("n2", 1),
      csiDisk("c1"),
      csiDisk("c2"),
      deployment("m1", "n1", { spec: mounts("c1") }),
      deployment("m2", "n2", { spec: mounts("c2") }),
      service("m1"),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-shared-device-claim",
    "Two pods that share one claim share its node: closed, the evicted one waits.",
    [three, deviceClass, slice("n1", 1), slice("n2", 1), sharedClaim, service("m1")],
    [
      apply(fresh("Deployment", "m1", { replicas: 2 }, podSpec("m1", claims({ resourceClaimName: "shared" })))),
      all,
      { drain: ["n1", "n2"], concurrent: true },
      all,
    ],
  ),
  recording(
    "kind-device-by-model",
    "A claim for one model of card: no other node has it.",
    [
      three,
      deviceClass,
      slice("n1", 2, "h200"),
      slice("n2", 2, "l40s"),
      claimTemplate("big", {
        requests: [
          {
            name: "gpu",
            exactly: {
              deviceClassName: "gpu.example.com",
              selectors: [{ cel: { expression: "device.attributes['gpu.example.com'].model == 'h200'" } }],
            },
          },
        ],
      }),
      service("m1"),
    ],
    [
      apply(fresh("Deployment", "m1", { replicas: 1 }, podSpec("m1", claims({ resourceClaimTemplateName: "big" })))),
      all,
      { drain: "n1" },
      all,
    ],
  ),
  recording(
    "kind-device-second-choice",
    "A list of choices: the second card does when the first is closed.",
    [
      three,
      deviceClass,
      slice("n1", 1, "h200"),
      slice("n2", 1, "l40s"),
      claimTemplate("either", {
        requests: [
          {
            name: "gpu",
            firstAvailable: ["h200", "l40s"].map((model) => ({
              name: model,
              deviceClassName: "gpu.example.com",
              selectors: [{ cel: { expression: `device.attributes['gpu.example.com'].model == '${model}'` } }],
            })),
          },
        ],
      }),
      service("m1"),
    ],
    [
      apply(fresh("Deployment", "m1", { replicas: 1 }, podSpec("m1", claims({ resourceClaimTemplateName: "either" })))),
      all,
      { drain: "n1" },
      all,
    ],
  ),
  recording(
    "kind-pinned-by-host-name",
    "A selector of one host name: gone until that node is back.",
    [two, deployment("m1", "n1", { spec: { nodeSelector: { "kubernetes.io/hostname": "n1" } } }), service("m1")],
    [{ drain: "n1" }, all, { uncordon: ["n1"] }, all],
  ),
  recording(
    "kind-preferred-node-gone",
    "A preferred pool gives way.",
    [
      nodes("p1", { labels: { pool: "fast" } }),
      nodes("n2"),
      deployment("m1", "p1", {
        spec: {
          affinity: {
            nodeAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 100, preference: { matchExpressions: [{ key: "pool", operator: "In", values: ["fast"] }] } },
              ],
            },
          },
        },
      }),
      service("m1"),
    ],
    [{ drain: "p1" }, all, { uncordon: ["p1"] }, { drain: "n2" }, all],
  ),
  recording(
    "kind-sidecar-sums",
    "A sidecar's request counts with the main container's: no room where the main alone would fit.",
    [
      two,
      deployment("other", "n2", { cpu: "5" }),
      deployment("m1", "n1", {
        cpu: "2",
        spec: {
          initContainers: [
            { name: "proxy", image: "proxy:1", restartPolicy: "Always", resources: { requests: { cpu: "2" } } },
          ],
        },
      }),
      service("m1"),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-init-larger",
    "An init container larger than all the rest decides the size.",
    [
      two,
      deployment("other", "n2", { cpu: "5" }),
      deployment("m1", "n1", {
        cpu: "1",
        spec: { initContainers: [{ name: "load", image: "load:1", resources: { requests: { cpu: "4" } } }] },
      }),
      service("m1"),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-ephemeral-storage",
    "Scratch space runs out before anything else.",
    [
      two.map((item) => withSize(item, { "ephemeral-storage": "100Gi" })),
      deployment("other", "n2", { container: { resources: { requests: { cpu: "1", "ephemeral-storage": "80Gi" } } } }),
      deployment("m1", "n1", { container: { resources: { requests: { cpu: "1", "ephemeral-storage": "40Gi" } } } }),
      service("m1"),
    ],
    [{ drain: "n1" }, all],
  ),
];

function withSpec(item: Item, more: Fields): Item {
  const spec: unknown = item["spec"];
  return { ...item, spec: { ...(typeof spec === "object" ? spec : {}), ...more } };
}

function withSize(item: Item, more: Fields): Item {
  const status: Fields = Object(item["status"]);
  return {
    ...item,
    status: {
      ...status,
      capacity: { ...Object(status["capacity"]), ...more },
      allocatable: { ...Object(status["allocatable"]), ...more },
    },
  };
}

function csiNode(name: string, count: number): Item {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name },
    spec: { drivers: [{ name: "disk.example.com", nodeID: name, topologyKeys: [], allocatable: { count } }] },
  };
}

function csiDisk(name: string): readonly Item[] {
  return [
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `disk-${name}` },
      spec: {
        capacity: { storage: "10Gi" },
        accessModes: ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName: "csi",
        csi: { driver: "disk.example.com", volumeHandle: name },
        claimRef: {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          namespace: "serving",
          name,
          uid: uid(`claim ${name}`),
        },
      },
      status: { phase: "Bound" },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name,
        namespace: "serving",
        uid: uid(`claim ${name}`),
        annotations: { "pv.kubernetes.io/bind-completed": "yes" },
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "10Gi" } },
        storageClassName: "csi",
        volumeName: `disk-${name}`,
      },
      status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "10Gi" } },
    },
  ];
}

/** Nodes that go, and in which order. */
const machines: readonly Recording[] = [
  recording(
    "kind-out-of-service",
    "A lost node marked out of service: its StatefulSet pod is let go and made again.",
    [
      three,
      statefulSet("m1", "n1 n2", { spec: unreachable(300) }),
      deployment("m2", "n1", { spec: unreachable(300) }),
      service("m1"),
      service("m2"),
    ],
    [
      { fail: "n1" },
      { wait: "62s" },
      { taint: { node: "n1", key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" } },
      { wait: "45s" },
    ],
    { quiet: "6s" },
  ),
  recording(
    "kind-zone-lost",
    "A whole zone lost beside a healthy one: its pods are evicted.",
    [
      nodes("a1 a2", { zone: "a", labels: { "topology.kubernetes.io/region": "r" } }),
      nodes("b1 b2 b3", { zone: "b", labels: { "topology.kubernetes.io/region": "r" } }),
      deployment("m1", "a1 a2 b1", { spec: unreachable(3) }),
      service("m1"),
      budget("m1", { min: 2, status: [3, 3] }),
    ],
    [{ fail: "a1" }, { fail: "a2" }, { wait: "85s" }],
    { quiet: "6s" },
  ),
  recording(
    "kind-rolling-three",
    "Three nodes one after the other, each back before the next, one budget.",
    [three, deployment("m1", "n1 n2 n3"), service("m1"), budget("m1", { max: 1, status: [3, 3] })],
    [
      { drain: "n1" },
      { uncordon: ["n1"] },
      { drain: "n2" },
      { uncordon: ["n2"] },
      { drain: "n3" },
      { uncordon: ["n3"] },
      all,
    ],
  ),
  recording(
    "kind-replaced-nodes",
    "Blue and green: new nodes join, old ones are closed, emptied and deleted.",
    [
      two,
      deployment("m1", "n1 n2", { spec: spread("m1") }),
      daemonSet("agent", "n1 n2"),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
    ],
    [
      apply(node("n3"), node("n4")),
      { wait: "5s" },
      { cordon: ["n1", "n2"] },
      { drain: "n1" },
      { delete: { node: "n1" } },
      { drain: "n2" },
      { delete: { node: "n2" } },
      all,
    ],
    { quiet: "8s" },
  ),
  recording(
    "kind-not-ready-addresses",
    "A Service that publishes addresses that are not Ready.",
    [
      three,
      deployment("m1", "n1! n2"),
      service("m1", "m1", "serving", { publishNotReadyAddresses: true, clusterIP: "None" }),
    ],
    [{ drain: "n2" }, all],
    { timing: { podStop: { "*": "4s" } } },
  ),
  recording(
    "kind-two-apps-one-service",
    "A Service over two Deployments: the one makes up for the other.",
    [
      three,
      deployment("blue", "n1", { labels: { svc: "m1" } }),
      deployment("green", "n2", { labels: { svc: "m1" } }),
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "m1", namespace: "serving" },
        spec: { selector: { svc: "m1" }, ports: [{ port: 8000 }] },
      },
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-never-ready-replacement",
    "A replacement that takes long: the second drain of a guarded pair waits for it.",
    [three, deployment("m1", "n1 n2"), service("m1"), budget("m1", { min: 1, status: [2, 2] })],
    [{ drain: "n1" }, { drain: "n2" }],
    { timing: { podStart: { "*": "9s" } } },
  ),
  recording(
    "kind-job-replaced-when-failed",
    "podReplacementPolicy Failed: the next is made once the old one is over.",
    [three],
    [
      apply(job("load", { podReplacementPolicy: "Failed", backoffLimit: 3 })),
      { wait: "5s" },
      { evict: "serving/load-~1" },
      { wait: "14s" },
    ],
    { quiet: "14s", timing: { podStop: { "*": "5s" } } },
  ),
  recording(
    "kind-job-fail-on-eviction",
    "A policy that fails the Job on a disruption.",
    [three],
    [
      apply(
        job("load", {
          backoffLimit: 3,
          podFailurePolicy: {
            rules: [{ action: "FailJob", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
          },
        }),
      ),
      { wait: "5s" },
      { evict: "serving/load-~1" },
    ],
    { quiet: "10s" },
  ),
  recording(
    "kind-drain-skips-leaving",
    "--skip-wait-for-delete-timeout: a pod that has been leaving for long is not waited for.",
    [
      three,
      deployment("m1", "n1 n2").map((item) =>
        item.metadata.name === "m1-6d4b75cb6d-bcdfg" ? withMetadata(item, { finalizers: ["example.com/hold"] }) : item,
      ),
      service("m1"),
    ],
    [
      { delete: podOf("m1", 0) },
      { wait: "5s" },
      { drain: "n1", flags: ["--ignore-daemonsets", "--skip-wait-for-delete-timeout=2"] },
    ],
  ),
  recording(
    "kind-evicted-twice-over",
    "The replacement lands on the next node of the line and is evicted again.",
    [three, deployment("m1", "n1"), service("m1")],
    [{ cordon: ["n3"] }, { drain: "n1" }, all, { evict: madeBy("m1", 1) }, { drain: "n2" }, all],
  ),
];

const autoscaler = (target: Fields, min: number, max: number): Item => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "m1", namespace: "serving" },
  spec: {
    minReplicas: min,
    maxReplicas: max,
    scaleTargetRef: target,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
  },
});
const patchOf = (kind: string, name: string, apiVersion: string, body: Fields, type = "merge"): Fields => ({
  patch: body,
  target: kind === "Node" ? { apiVersion, kind, name } : ref(name, kind, apiVersion),
  type,
});

/** Further turns: what changes beside the drain. */
const turns: readonly Recording[] = [
  recording(
    "kind-budget-two-sets",
    "A percentage over two StatefulSets: of their scales together.",
    [
      four,
      statefulSet("decode", "n1 n2", { labels: { tier: "engine" } }),
      statefulSet("prefill", "n1 n3", { labels: { tier: "engine" } }),
      service("decode"),
      service("prefill"),
      budget("engines", { min: "60%", selector: { matchLabels: { tier: "engine" } }, status: [4, 4] }),
    ],
    [{ drain: "n1" }],
  ),
  recording(
    "kind-daemon-update-one-closed",
    "A DaemonSet's update goes over closed nodes like any other.",
    [three],
    [
      apply({
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "agent", namespace: "serving" },
        spec: {
          selector: { matchLabels: { app: "agent" } },
          template: { metadata: { labels: { app: "agent" } }, spec: podSpec("agent", {}) },
        },
      }),
      all,
      { cordon: ["n2"] },
      roll("agent", "DaemonSet"),
      all,
    ],
  ),
  recording(
    "kind-daemon-label-gone",
    "The label a DaemonSet asks for is taken off a node: its pod goes.",
    [
      nodes("n1 n2", { labels: { role: "gpu" } }),
      node("n3"),
      daemonSet("agent", "n1 n2", { spec: { nodeSelector: { role: "gpu" } } }),
      service("agent"),
    ],
    [patchOf("Node", "n1", "v1", { metadata: { labels: { role: null } } }), { wait: "4s" }],
  ),
  recording(
    "kind-daemon-expelled",
    "A DaemonSet that does not tolerate a NoExecute taint loses its pod there, and makes no other.",
    [two, daemonSet("agent", "n1 n2"), deployment("m1", "n1"), service("agent"), service("m1")],
    [{ taint: { node: "n1", key: "maintenance", value: "soon", effect: "NoExecute" } }, { wait: "5s" }],
  ),
  recording(
    "kind-label-ignored-while-running",
    "The label a pod was placed by goes: it stays; once evicted it has nowhere to go.",
    [
      nodes("n1", { labels: { pool: "gpu" } }),
      node("n2"),
      deployment("m1", "n1", { spec: { nodeSelector: { pool: "gpu" } } }),
      service("m1"),
    ],
    [
      patchOf("Node", "n1", "v1", { metadata: { labels: { pool: null } } }),
      { wait: "2s" },
      { evict: podOf("m1", 0) },
      { wait: "3s" },
    ],
  ),
  recording(
    "kind-surge-whole-too-large",
    "All new ones first, and half of them find no room.",
    [nodes("n1 n2", { cpu: "3" }), deployment("m1", "n1 n1 n2 n2", { with: surge("100%", 0) }), service("m1")],
    [roll("m1"), all],
  ),
  recording(
    "kind-affinity-to-own-zone",
    "Pods that must share a zone: the open zone is the wrong one.",
    [
      nodes("a1 a2", { zone: "a" }),
      nodes("b1", { zone: "b" }),
      deployment("m1", "a1 a2", {
        spec: {
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                only("m1", { topologyKey: "topology.kubernetes.io/zone" }),
              ],
            },
          },
        },
      }),
      service("m1"),
    ],
    [{ cordon: ["a1", "a2"] }, { evict: podOf("m1", 0) }, all],
  ),
  recording(
    "kind-limit-range-max",
    "A container larger than the namespace lets it be: its pod is refused.",
    [
      two,
      {
        apiVersion: "v1",
        kind: "LimitRange",
        metadata: { name: "sizes", namespace: "serving" },
        spec: { limits: [{ type: "Container", max: { cpu: "2" }, min: { memory: "64Mi" } }] },
      },
      service("m1"),
    ],
    [
      apply({
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: { name: "m1", namespace: "serving" },
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: "m1" } },
          template: {
            metadata: { labels: { app: "m1" } },
            spec: podSpec("m1", { container: { resources: { limits: { cpu: "4", memory: "1Gi" } } } }),
          },
        },
      }),
      { wait: "3s" },
    ],
  ),
  recording(
    "kind-new-version-never-ready",
    "A new version that does not come up, past its deadline; the drain goes on with the old ones.",
    [
      four,
      deployment("m1", "n1 n2", { with: { progressDeadlineSeconds: 5, ...surge(1, 0) } }),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
    ],
    [roll("m1"), { wait: "9s" }, { drain: "n1", stopAfter: "6s" }],
    { timing: { podStart: { "serving/m1-~r*": "90s", "*": "3s" } }, quiet: "4s" },
  ),
  recording(
    "kind-gpus-scattered",
    "Two GPUs are free, one on each node: a pod of two has no place.",
    [
      nodes("n1 n2 n3", { gpu: 2 }),
      deployment("small", "n2 n3", { gpu: 1 }),
      deployment("m1", "n1", { gpu: 2 }),
      service("m1"),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "kind-service-turns",
    "A Service turned from one version to the other, then the first is drained.",
    [three, deployment("blue", "n1"), deployment("green", "n2"), service("m1", "blue")],
    [patchOf("Service", "m1", "v1", { spec: { selector: { app: "green" } } }), { wait: "2s" }, { drain: "n1" }, all],
  ),
  recording(
    "kind-autoscaled-set",
    "An autoscaler's floor over a StatefulSet.",
    [two, statefulSet("m1", "n1"), service("m1"), budget("m1", { min: 1, status: [1, 1] })],
    [
      apply(autoscaler({ apiVersion: "apps/v1", kind: "StatefulSet", name: "m1" }, 2, 3)),
      { wait: "20s" },
      { drain: "n1" },
    ],
    { quiet: "6s" },
  ),
  recording(
    "kind-skew-of-two",
    "A skew of two gives way once, not twice.",
    [
      nodes("a1", { zone: "a" }),
      nodes("b1", { zone: "b" }),
      nodes("c1", { zone: "c" }),
      deployment("m1", "a1 b1 c1", { spec: spread("m1", { topologyKey: "topology.kubernetes.io/zone", maxSkew: 2 }) }),
      service("m1"),
    ],
    [{ drain: "a1" }, all, { drain: "b1" }, all],
  ),
  recording(
    "kind-host-port-protocols",
    "The same port by another protocol is another port.",
    [
      two,
      deployment("dns", "n1", {
        container: { ports: [{ containerPort: 53, hostPort: 53, protocol: "UDP" }] },
      }),
      deployment("web", "n2", {
        container: { ports: [{ containerPort: 53, hostPort: 53, protocol: "TCP" }] },
      }),
      deployment("twin", "n2", {
        container: { ports: [{ containerPort: 53, hostPort: 53, protocol: "UDP" }] },
      }),
      service("dns"),
      service("web"),
    ],
    [{ drain: "n1" }, { wait: "4s" }, { drain: "n2" }, { uncordon: ["n1"] }, all],
  ),
  recording(
    "kind-all-owners-forced",
    "Every kind of owner on one node, drained with --force.",
    [
      two,
      deployment("m1", "n1"),
      statefulSet("m2", "n1"),
      loneSet("ReplicaSet", "m3", "n1"),
      loneSet("ReplicationController", "m4", "n1"),
      daemonSet("agent", "n1 n2"),
      pod("m5", "n1"),
      pod("done", "n1$"),
      service("m1"),
      service("m2"),
      service("m5"),
    ],
    [{ drain: "n1", flags: ["--ignore-daemonsets", "--delete-emptydir-data", "--force"] }, all],
  ),
  recording(
    "kind-scaled-to-none-and-drained",
    "Scaled to nothing for the maintenance and up again after.",
    [two, deployment("m1", "n1 n2"), service("m1"), budget("m1", { max: 0, status: [2, 2] })],
    [scale("m1", 0), { wait: "3s" }, { drain: ["n1", "n2"] }, { uncordon: ["n1", "n2"] }, scale("m1", 2), all],
  ),
  recording(
    "kind-preempt-and-closed",
    "The victim's node is closed while the one in front waits: it has to look elsewhere.",
    [
      nodes("n1 n2 n3", { gpu: 1 }),
      priorityClass("interactive", 1000),
      deployment("m1", "n1", { gpu: 1 }),
      deployment("m2", "n2", { gpu: 1, spec: high }),
      deployment("m3", "n3", { gpu: 1 }),
      service("m1"),
      service("m3"),
    ],
    [{ cordon: ["n3"] }, { drain: "n2" }, { cordon: ["n1"] }, { uncordon: ["n3"] }, all],
    { timing: { podStop: { "serving/m1*": "9s", "*": "1s" } } },
  ),
  recording(
    "kind-stateful-unready-updated",
    "A set's update with one that is not Ready: that one is not passed over.",
    [three, service("m1")],
    [
      apply(fresh("StatefulSet", "m1", { replicas: 3 }, podSpec("m1", {}))),
      all,
      { cordon: ["n1", "n2", "n3"] },
      { evict: "serving/m1-1" },
      { wait: "3s" },
      roll("m1", "StatefulSet"),
      { wait: "4s" },
      { uncordon: ["n1", "n2", "n3"] },
      all,
    ],
  ),
  recording(
    "kind-deployment-deleted",
    "A Deployment is deleted in the middle of a drain: nothing comes back.",
    [two, deployment("m1", "n1 n2"), service("m1"), budget("m1", { min: 2, status: [2, 2] })],
    [{ drain: "n1", stopAfter: "3s" }, { delete: { ref: ref("m1") } }, { wait: "4s" }],
  ),
];

/** Small clusters of kinds that reports speak of, each with another twist. */
export const kinds: readonly Recording[] = [...budgets, ...named, ...rollouts, ...places, ...machines, ...turns];
