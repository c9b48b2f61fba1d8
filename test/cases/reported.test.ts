import { test } from "node:test";
import {
  budget,
  deployment,
  type Fields,
  type Item,
  nodes,
  pod,
  podSpec,
  service,
  uid,
} from "../../scripts/recordings/objects.ts";
import { type Case, compare, outcomeOf, recorded, written } from "./case.ts";

const all: Fields = { waitReady: "all" };
const needs = (budgetName: string, needed: number, has: number): string =>
  `429 The disruption budget ${budgetName} needs ${needed} healthy pods and has ${has} currently`;
const noVictims = (preemption: string): string => `no new claims to deallocate, preemption: ${preemption}`;
const closedPool =
  "0/4 nodes are available: 2 node(s) had untolerated taint(s), 2 node(s) were unschedulable. " +
  noVictims("0/4 nodes are available: 4 Preemption is not helpful for scheduling.");

/** A LeaderWorkerSet of two groups of two, as its controller leaves them: leaders on n1 and n3, workers on n2 and n4. */
function groups(shape: {
  readonly min?: number | string;
  readonly selector?: Fields;
  readonly max?: number;
}): readonly Item[] {
  const label = (name: string): string => `leaderworkerset.sigs.k8s.io/${name}`;
  const set = { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet", name: "m1", uid: uid("groups m1") };
  const owned = (owner: Fields): Fields => ({
    ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
  });
  const statefulSet = (name: string, owner: Fields, replicas: number, labels: Fields): Item => ({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace: "serving", uid: uid(`part ${name}`), generation: 1, labels, ...owned(owner) },
    spec: {
      replicas,
      serviceName: "m1",
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "OnDelete" },
      ...(replicas === 1 ? { ordinals: { start: 1 } } : {}),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec("m1", { gpu: 1 }) },
    },
    status: {
      observedGeneration: 1,
      replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      currentReplicas: replicas,
    },
  });
  const member = (group: number, worker: number, on: string): Item => {
    const owner = worker === 0 ? "m1" : `m1-${group}`;
    return pod(worker === 0 ? `m1-${group}` : `m1-${group}-${worker}`, on, {
      gpu: 1,
      labels: {
        app: "m1",
        [label("name")]: "m1",
        [label("group-index")]: `${group}`,
        [label("worker-index")]: `${worker}`,
      },
      owner: { apiVersion: "apps/v1", kind: "StatefulSet", name: owner, uid: uid(`part ${owner}`) },
    });
  };
  const leader = (group: number): Fields => ({
    apiVersion: "v1",
    kind: "Pod",
    name: `m1-${group}`,
    uid: uid(`pod serving/m1-${group}`),
  });
  const ofSet = { [label("name")]: "m1" };
  return [
    ...nodes("n1 n2 n3 n4 n5 n6", { gpu: 1 }),
    {
      apiVersion: set.apiVersion,
      kind: set.kind,
      metadata: { name: "m1", namespace: "serving", uid: set.uid },
      spec: {
        replicas: 2,
        startupPolicy: "LeaderCreated",
        leaderWorkerTemplate: {
          size: 2,
          restartPolicy: "RecreateGroupOnPodRestart",
          workerTemplate: { metadata: { labels: { app: "m1" } }, spec: podSpec("m1", { gpu: 1 }) },
        },
      },
    },
    statefulSet("m1", set, 2, { ...ofSet, app: "m1", [label("worker-index")]: "0" }),
    member(0, 0, "n1"),
    member(1, 0, "n3"),
    statefulSet("m1-0", leader(0), 1, { ...ofSet, app: "m1", [label("group-index")]: "0" }),
    statefulSet("m1-1", leader(1), 1, { ...ofSet, app: "m1", [label("group-index")]: "1" }),
    member(0, 1, "n2"),
    member(1, 1, "n4"),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "leaders", namespace: "serving" },
      spec: { selector: { ...ofSet, [label("worker-index")]: "0" }, ports: [{ port: 8000 }] },
    },
    budget(
      "m1",
      shape.selector === undefined
        ? { ...shape, selector: { matchLabels: ofSet }, status: [4, 4] }
        : { ...shape, status: [2, 2] },
    ),
  ];
}
const bothAtOnce: readonly Fields[] = [{ cordon: ["n2", "n4"] }, { drain: ["n2", "n4"], concurrent: true }];

const autoscaler = (minReplicas: number, maxReplicas: number): Item => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "m1", namespace: "serving" },
  spec: {
    minReplicas,
    maxReplicas,
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "m1" },
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
  },
});
const scaled = (min: number, max: number): readonly (Item | readonly Item[])[] => [
  nodes("n1 n2"),
  deployment("m1", "n1"),
  service("m1"),
  budget("m1", { min: 1, status: [1, 1] }),
  autoscaler(min, max),
];
const surge: readonly Fields[] = [
  { cordon: ["n1"] },
  { scale: { ref: "Deployment/serving/m1", replicas: 2 } },
  { wait: "60s" },
];

/** Three pickers of which only the leader is ever Ready, and a fourth node for whoever moves. */
const standbys = (shape: {
  readonly min?: number;
  readonly max?: number;
  readonly policy?: "AlwaysAllow";
}): readonly Item[] => [
  ...nodes("s1 s2 s3 s4"),
  ...deployment("picker", "s1 s2! s3!", { args: ["--ha-enable-leader-election"] }),
  service("picker"),
  budget("picker", { ...shape, status: [3, 1] }),
];
const oneByOne: readonly Fields[] = [{ drain: "s2" }, { drain: "s1" }];

/** Cases of public bug reports. What must come out is what Kubernetes 1.36.3 answered. */
const cases: readonly Case[] = [
  recorded("reported-two-budgets", {
    evictions: [
      "m1-bcdfg 500 This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    ],
    bound: [],
    ready: { m1: [2, 2, 2] },
    drains: { n1: "failed" },
  }),
  recorded("reported-two-budgets-one-deleted", { evictions: ["m1-bcdfg 201"], drains: { n1: "completed" } }),
  recorded(
    "reported-one-of-one-scaled",
    { evictions: [`m1-bcdfg ${needs("m1", 1, 1)}`], bound: [], ready: { m1: [1, 1, 1] }, drains: { n1: "stalled" } },
    [{ drain: "n1" }],
  ),
  recorded("reported-one-of-one-scaled", {
    evictions: ["m1-bcdfg 201"],
    bound: ["m1-~1 n2", "m1-~2 n2"],
    ready: { m1: [1, 1, 2] },
    drains: { n1: "completed" },
  }),
  recorded("reported-eighty-percent", {
    evictions: [`m1-bcdfg ${needs("m1", 3, 3)}`],
    ready: { m1: [3, 3, 3] },
    drains: { n1: "stalled" },
  }),
  recorded("reported-sixty-six-percent", {
    evictions: ["m1-bcdfg 201"],
    bound: ["m1-~1 n4"],
    ready: { m1: [3, 2, 3] },
    drains: { n1: "completed" },
  }),
  written(
    "a budget whose file was edited: its status is of the old specification",
    [
      nodes("n1 n2 n3 n4"),
      deployment("m1", "n1 n2 n3"),
      service("m1"),
      {
        ...budget("m1", { min: "80%", status: [3, 3] }),
        spec: { minAvailable: "66%", selector: { matchLabels: { app: "m1" } } },
      },
    ],
    [{ drain: "n1" }],
    { evictions: ["m1-bcdfg 201"], drains: { n1: "completed" } },
  ),
  recorded("reported-all-unready", {
    evictions: [`m1-bcdfg ${needs("m1", 1, 0)}`],
    ready: { m1: [0, 0, 0] },
    drains: { n1: "stalled" },
  }),
  recorded("reported-all-unready-allowed", {
    evictions: ["m1-bcdfg 201"],
    bound: ["m1-~1 n3"],
    drains: { n1: "completed" },
  }),
  recorded("reported-no-scale", {
    evictions: ["m1-workers-bcdfg 429 The disruption budget m1 is still being processed by the server."],
    ready: { m1: [2, 2, 2] },
    drains: { n1: "stalled" },
  }),
  recorded("reported-no-scale-integer", {
    evictions: ["m1-workers-bcdfg 201"],
    bound: [],
    drains: { n1: "completed" },
  }),
  recorded("reported-pulling", {
    evictions: ["m1-hjklm 201", `m1-bcdfg ${needs("m1", 1, 1)}`, "m1-bcdfg 201"],
    bound: ["m1-~1 n3", "m1-~2 n3"],
    ready: { m1: [1, 1, 2] },
    drains: { n2: "completed", n1: "completed" },
  }),
  recorded("reported-spread-cordoned", {
    evictions: ["m1-bcdfg 201", `m1-hjklm ${needs("m1", 2, 2)}`],
    bound: [],
    unschedulable: [
      `m1-~1 0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints. ${noVictims("0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.")}`,
      `m1-~1 0/3 nodes are available: 1 node(s) didn't match pod topology spread constraints, 2 node(s) were unschedulable. ${noVictims("0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.")}`,
    ],
    ready: { m1: [3, 2, 2] },
    drains: { n1: "completed", n2: "stalled" },
  }),
  recorded("reported-spread-cordoned-honor", { drains: { n1: "completed", n2: "completed" } }),
  recorded("reported-spread-cordoned", { bound: ["m1-~1 n1"], ready: { m1: [3, 2, 3] } }, [
    { drain: "n1" },
    { wait: "60s" },
    { uncordon: ["n1"] },
    all,
  ]),
  recorded("reported-anti-affinity", {
    evictions: [],
    pending: [
      `m1-~1-~1 0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. ${noVictims("0/2 nodes are available: 2 No preemption victims found for incoming pod.")}`,
    ],
    ready: { m1: [2, 2, 2] },
    rolloutStalled: true,
  }),
  recorded("reported-anti-affinity-keyed", {
    pending: [
      `m1-~1-~1 0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules. ${noVictims("0/2 nodes are available: 2 No preemption victims found for incoming pod.")}`,
    ],
    ready: { m1: [2, 2, 2] },
  }),
  recorded("reported-anti-affinity-cured", { pending: [], ready: { m1: [2, 1, 2] }, rolloutStalled: false }),
  recorded("reported-pile-up", {
    evictions: ["m1-bcdfg 201", "m1-hjklm 201", "m1-~1 201"],
    bound: ["m1-~1 n2", "m1-~2 n1", "m1-~3 n1"],
    ready: { m1: [2, 0, 2] },
    drains: { n1: "completed", n2: "completed" },
  }),
  recorded("reported-pile-up-budget", {
    evictions: ["m1-bcdfg 201", "m1-hjklm 201", `m1-~1 ${needs("m1", 1, 1)}`, "m1-~1 201"],
    ready: { m1: [2, 1, 2] },
  }),
  recorded("volume-pins-zone", {
    evictions: ["m1-0 201"],
    pending: [
      `m1-0 0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match PersistentVolume's node affinity. ${noVictims("0/3 nodes are available: 3 Preemption is not helpful for scheduling.")}`,
    ],
    ready: { m1: [1, 0, 0] },
    drains: { a1: "completed" },
  }),
  recorded("reported-quota", {
    evictions: [`m1-bcdfg ${needs("m1", 1, 1)}`],
    bound: [],
    rejected: [
      'ReplicaSet.apps/serving/m1-6d4b75cb6d Error creating: pods "m1-6d4b75cb6d-<suffix>" is forbidden: exceeded quota: gpus, ' +
        "requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=1, limited: requests.nvidia.com/gpu=1",
    ],
    ready: { m1: [1, 1, 1] },
    drains: { n1: "stalled" },
  }),
  recorded("preempt-breaks-budget", {
    evictions: ["m2-bcdfg 201"],
    deletions: ["m1-bcdfg by kube-scheduler"],
    bound: ["m2-~1 n1"],
    pending: [
      `m1-~1 0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) were unschedulable. ${noVictims("0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.")}`,
    ],
    ready: { m1: [1, 0, 0] },
    drains: { n2: "completed" },
  }),
  recorded("reported-pool-closed", {
    evictions: ["gw-bcdfg 201", "picker-bcdfg 201"],
    pending: [`gw-~1 ${closedPool}`, `picker-~1 ${closedPool}`],
    ready: { gw: [1, 0, 0], picker: [1, 0, 0], m1: [2, 2, 2] },
    drains: { s1: "completed", s2: "completed" },
  }),
  recorded("reported-pool-new-node", {
    bound: ["gw-~1 s3", "picker-~1 s3"],
    ready: { gw: [1, 0, 1], picker: [1, 0, 1] },
  }),
  recorded("reported-pool-one-at-a-time", { bound: ["gw-~1 s2", "picker-~1 s2"], ready: { gw: [1, 0, 1] } }),
  written("half of all pods of two groups: one eviction in each ends both", [groups({ min: "50%" })], bothAtOnce, {
    evictions: ["m1-0-1 201", "m1-1-1 201"],
    deletions: ["m1-0 by lws-controller", "m1-1 by lws-controller"],
    ready: { leaders: [2, 0, 2] },
    drains: { n2: "completed", n4: "completed" },
  }),
  written(
    "half of all pods, and a leader asked for next",
    [groups({ min: "50%" })],
    [{ evict: "serving/m1-0-1" }, { evict: "serving/m1-1-1" }, { evict: "serving/m1-0" }],
    { evictions: ["m1-0-1 201", "m1-1-1 201", `m1-0 ${needs("m1", 2, 2)}`] },
  ),
  written("three of four pods: one group at a time", [groups({ min: 3 })], bothAtOnce, {
    evictions: ["m1-0-1 201", `m1-1-1 ${needs("m1", 3, 3)}`, `m1-1-1 ${needs("m1", 3, 2)}`, "m1-1-1 201"],
    ready: { leaders: [2, 1, 2] },
    drains: { n2: "completed", n4: "completed" },
  }),
  written(
    "a budget over leaders does not see workers",
    [groups({ max: 1, selector: { matchLabels: { "leaderworkerset.sigs.k8s.io/worker-index": "0" } } })],
    bothAtOnce,
    { evictions: ["m1-0-1 201", "m1-1-1 201"], ready: { leaders: [2, 0, 2] } },
  ),
  written("an autoscaler at its ceiling undoes the surge", scaled(1, 1), surge, {
    evictions: [],
    deletions: ["m1-~1 by replicaset-controller"],
    bound: ["m1-~1 n2"],
    ready: { m1: [1, 1, 1] },
  }),
  written("and the drain after it stalls", scaled(1, 1), [...surge, { drain: "n1" }], {
    evictions: [`m1-bcdfg ${needs("m1", 1, 1)}`],
    drains: { n1: "stalled" },
  }),
  written(
    "with a floor of two the autoscaler itself starts the second",
    scaled(1, 1),
    [
      {
        patch: { spec: { minReplicas: 2, maxReplicas: 2 } },
        target: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", namespace: "serving", name: "m1" },
        type: "merge",
      },
      { drain: "n1" },
    ],
    {
      evictions: [`m1-bcdfg ${needs("m1", 1, 1)}`, "m1-bcdfg 201"],
      ready: { m1: [1, 1, 2] },
      drains: { n1: "completed" },
    },
  ),
  written("an autoscaler with room and no metrics leaves two alone", scaled(1, 5), [...surge, { drain: "n1" }], {
    deletions: [],
    evictions: ["m1-bcdfg 201"],
    drains: { n1: "completed" },
  }),
  recorded("reported-one-picker", {
    evictions: ["picker-bcdfg 201"],
    bound: ["picker-~1 s2"],
    ready: { picker: [1, 0, 1], m1: [2, 2, 2] },
    drains: { s1: "completed" },
  }),
  recorded("reported-standbys", {
    evictions: [`picker-hjklm ${needs("picker", 2, 1)}`, `picker-bcdfg ${needs("picker", 2, 1)}`],
    bound: [],
    ready: { picker: [1, 1, 1] },
    drains: { s2: "stalled", s1: "stalled" },
  }),
  written("standbys that may always go; the leader may not", standbys({ max: 1, policy: "AlwaysAllow" }), oneByOne, {
    evictions: ["picker-hjklm 201", `picker-bcdfg ${needs("picker", 2, 1)}`],
    ready: { picker: [1, 1, 1] },
    drains: { s2: "completed", s1: "stalled" },
  }),
  written("one is enough, and it is met: the standby goes, the leader does not", standbys({ min: 1 }), oneByOne, {
    evictions: ["picker-hjklm 201", `picker-bcdfg ${needs("picker", 1, 1)}`],
    ready: { picker: [1, 1, 1] },
    drains: { s2: "completed", s1: "stalled" },
  }),
  recorded("reported-grace", {
    evictions: ["m1-bcdfg 201"],
    bound: ["m1-~1 n2|n3"],
    ready: { m1: [2, 1, 2] },
    drains: { n1: "completed" },
  }),
  recorded("reported-refused", {
    evictions: [],
    bound: [],
    drains: { n1: "refused" },
    blocked: [
      "0 cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): serving/agent-bcdfg",
      "0 cannot delete Pods with local storage (use --delete-emptydir-data to override): serving/m1-6d4b75cb6d-bcdfg",
      "0 cannot delete Pods that declare no controller (use --force to override): serving/probe",
    ],
    ready: { m1: [1, 1, 1], gw: [1, 1, 1] },
  }),
  recorded("reported-refused-usual", {
    evictions: [],
    drains: { n1: "refused" },
    blocked: ["0 cannot delete Pods that declare no controller (use --force to override): serving/probe"],
  }),
  recorded("reported-refused-forced", {
    evictions: ["gw-bcdfg 201", "m1-bcdfg 201", "probe 201"],
    bound: ["gw-~1 n2", "m1-~1 n2"],
    ready: { m1: [1, 0, 1], gw: [1, 0, 1] },
    drains: { n1: "completed" },
  }),
];

for (const made of cases) {
  test(made.name, async () => compare(await outcomeOf(made), made.expect));
}
