import { test } from "node:test";
import {
  antiAffinity,
  budget,
  daemonSet,
  deployment,
  type Fields,
  type Item,
  loneSet,
  node,
  nodes,
  pod,
  quota,
  service,
  spread,
  statefulSet,
  uid,
} from "../../scripts/recordings/objects.ts";
import { type Case, compare, outcomeOf, written } from "./case.ts";

const all: Fields = { waitReady: "all" };
const needs = (budgetName: string, needed: number, has: number): string =>
  `429 The disruption budget ${budgetName} needs ${needed} healthy pods and has ${has} currently`;
const unhelpful = (count: number): string =>
  `no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`;

const webhook = (name: string, resources: string, group: string, policy: string, extra: Fields = {}): Item => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name },
  webhooks: [
    {
      name: `${name}.example.com`,
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      failurePolicy: policy,
      clientConfig: { service: { name: "hook", namespace: "serving" }, caBundle: "" },
      rules: [{ apiGroups: [group], apiVersions: ["v1"], operations: ["CREATE"], resources: [resources], scope: "*" }],
      ...extra,
    },
  ],
});

const job = (name: string, on: string, spec: Fields = {}): readonly Item[] => {
  const owner = { apiVersion: "batch/v1", kind: "Job", name, uid: uid(`job ${name}`) };
  return [
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name, namespace: "serving", uid: owner.uid, generation: 1 },
      spec: {
        parallelism: 1,
        completions: 1,
        backoffLimit: 6,
        selector: { matchLabels: { "batch.kubernetes.io/controller-uid": owner.uid } },
        template: {
          metadata: {
            labels: {
              app: name,
              "batch.kubernetes.io/controller-uid": owner.uid,
              "batch.kubernetes.io/job-name": name,
            },
          },
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "main", image: "j:1", resources: { requests: { cpu: "1" } } }],
          },
        },
        ...spec,
      },
      status: { active: 1, startTime: "2026-11-01T08:00:00Z" },
    },
    pod(`${name}-bcdfg`, on, {
      labels: { app: name, "batch.kubernetes.io/controller-uid": owner.uid, "batch.kubernetes.io/job-name": name },
      owner,
      spec: { restartPolicy: "Never" },
    }),
  ];
};

/** Small clusters of the kinds reports are about, each with what Kubernetes' rules make of it. */
const cases: readonly Case[] = [
  written(
    "maxUnavailable 0 never lets go",
    [nodes("n1 n2"), deployment("m1", "n1 n2"), service("m1"), budget("m1", { max: 0, status: [2, 2] })],
    [{ drain: "n1" }],
    {
      evictions: [`m1-bcdfg ${needs("m1", 2, 2)}`],
      drains: { n1: "stalled" },
    },
  ),
  written(
    "30% of three may be away: one",
    [nodes("n1 n2 n3"), deployment("m1", "n1 n1 n2"), service("m1"), budget("m1", { max: "30%", status: [3, 3] })],
    [{ drain: "n1" }],
    {
      evictions: ["m1-bcdfg 201", `m1-hjklm ${needs("m1", 2, 2)}`, "m1-hjklm 201"],
      ready: { m1: [3, 2, 3] },
      drains: { n1: "completed" },
    },
  ),
  written(
    "a budget over nothing does not matter to the rest",
    [nodes("n1 n2"), deployment("m1", "n1"), service("m1"), budget("other", { min: 1, status: [0, 0] })],
    [{ drain: "n1" }],
    {
      evictions: ["m1-bcdfg 201"],
      bound: ["m1-~1 n2"],
      drains: { n1: "completed" },
    },
  ),
  written(
    "an empty selector covers every pod of the namespace",
    [
      nodes("n1 n2"),
      deployment("m1", "n1"),
      deployment("gw", "n1"),
      budget("all", { min: 2, selector: {}, status: [2, 2] }),
    ],
    [{ drain: "n1" }],
    {
      evictions: [`gw-bcdfg ${needs("all", 2, 2)}`, `m1-bcdfg ${needs("all", 2, 2)}`],
      drains: { n1: "stalled" },
    },
  ),
  written(
    "a hard zone spread: the zone with the fewest is closed",
    [
      node("a1", { zone: "a" }),
      node("b1", { zone: "b" }),
      node("b2", { zone: "b" }),
      deployment("m1", "a1 b1", {
        spec: {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "topology.kubernetes.io/zone",
              whenUnsatisfiable: "DoNotSchedule",
              labelSelector: { matchLabels: { app: "m1" } },
            },
          ],
        },
      }),
      service("m1"),
    ],
    [{ drain: "a1" }],
    {
      evictions: ["m1-bcdfg 201"],
      pending: [
        `m1-~1 0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints. no new claims to deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.`,
      ],
      ready: { m1: [2, 1, 1] },
    },
  ),
  written(
    "a node selector with one node only",
    [
      node("g1", { labels: { pool: "gpu" } }),
      node("n1"),
      deployment("m1", "g1", { spec: { nodeSelector: { pool: "gpu" } } }),
      service("m1"),
    ],
    [{ drain: "g1" }],
    {
      pending: [
        `m1-~1 0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable. ${unhelpful(2)}`,
      ],
      ready: { m1: [1, 0, 0] },
    },
  ),
  written(
    "no room on the other node: all reasons",
    [
      node("n1", { gpu: 2 }),
      node("n2", { gpu: 1, cpu: "2" }),
      deployment("m1", "n1", { gpu: 2, cpu: "4" }),
      service("m1"),
    ],
    [{ drain: "n1" }],
    {
      pending: [
        "m1-~1 0/2 nodes are available: 1 Insufficient cpu, 1 Insufficient nvidia.com/gpu, 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
      ],
    },
  ),
  written(
    "a StatefulSet under maxUnavailable 1, drained node by node",
    [nodes("n1 n2 n3"), statefulSet("m1", "n1 n2 n3"), service("m1"), budget("m1", { max: 1, status: [3, 3] })],
    [{ drain: "n1" }, { drain: "n2" }],
    {
      evictions: ["m1-0 201", `m1-1 ${needs("m1", 2, 2)}`, "m1-1 201"],
      drains: { n1: "completed", n2: "completed" },
      ready: { m1: [3, 2, 3] },
    },
  ),
  written(
    "a lost machine: the StatefulSet waits for the pod that never confirms",
    [nodes("n1 n2"), statefulSet("m1", "n1"), service("m1")],
    [{ fail: "n1" }, { wait: "20m" }],
    {
      bound: [],
      deletions: ["m1-0 by taint-manager"],
      ready: { m1: [1, 0, 0] },
    },
  ),
  written(
    "a lost machine: the Deployment starts another after five minutes",
    [nodes("n1 n2"), deployment("m1", "n1"), service("m1")],
    [{ fail: "n1" }, { wait: "20m" }],
    {
      bound: ["m1-~1 n2"],
      ready: { m1: [1, 0, 1] },
    },
  ),
  written(
    "three of four machines lost in one moment: nobody is believed",
    [nodes("n1 n2 n3 n4"), deployment("m1", "n1 n2"), service("m1")],
    [{ fail: "n1" }, { fail: "n2" }, { fail: "n3" }, { wait: "20m" }],
    { deletions: [], bound: [], ready: { m1: [2, 0, 0] } },
  ),
  written(
    "two more lost after one of four: but for the first nobody is believed",
    [nodes("n1 n2 n3 n4"), deployment("m1", "n1 n2"), service("m1")],
    [{ fail: "n1" }, { wait: "2m" }, { fail: "n2" }, { fail: "n3" }, { wait: "20m" }],
    {
      deletions: ["m1-bcdfg by taint-manager"],
      bound: ["m1-~1 n4"],
      ready: { m1: [2, 0, 1] },
    },
  ),
  written(
    "every machine lost: nobody is evicted",
    [nodes("n1 n2"), deployment("m1", "n1 n2"), service("m1")],
    [{ fail: "n1" }, { fail: "n2" }, { wait: "20m" }],
    { deletions: [], bound: [], ready: { m1: [2, 0, 0] } },
  ),
  written(
    "two lost machines of many: one after the other",
    [nodes("n1 n2 n3 n4 n5"), deployment("m1", "n1 n2"), service("m1")],
    [{ fail: "n1" }, { fail: "n2" }, { wait: "20m" }],
    { deletions: ["m1-bcdfg by taint-manager", "m1-hjklm by taint-manager"], ready: { m1: [2, 0, 2] } },
  ),
  written(
    "a NoExecute taint asks no budget",
    [nodes("n1 n2"), deployment("m1", "n1"), service("m1"), budget("m1", { min: 1, status: [1, 1] })],
    [{ taint: { node: "n1", key: "maintenance", value: "true", effect: "NoExecute" } }, all],
    {
      evictions: [],
      deletions: ["m1-bcdfg by taint-manager"],
      bound: ["m1-~1 n2"],
      ready: { m1: [1, 0, 1] },
    },
  ),
  written("a Job's pod is evicted and made again", [nodes("n1 n2"), job("batch", "n1")], [{ drain: "n1" }], {
    evictions: ["batch-bcdfg 201"],
    drains: { n1: "completed" },
  }),
  written(
    "a bare pod goes for good with --force",
    [nodes("n1 n2"), pod("probe", "n1")],
    [{ drain: "n1", flags: ["--force"] }],
    {
      evictions: ["probe 201"],
      bound: [],
      drains: { n1: "completed" },
    },
  ),
  written(
    "DaemonSet pods alone refuse a bare drain",
    [nodes("n1 n2"), daemonSet("agent", "n1 n2")],
    [{ drain: "n1", flags: [] }],
    {
      drains: { n1: "refused" },
      blocked: ["0 cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): serving/agent-bcdfg"],
    },
  ),
  written(
    "--disable-eviction deletes past the budget",
    [nodes("n1 n2"), deployment("m1", "n1"), service("m1"), budget("m1", { min: 1, status: [1, 1] })],
    [{ drain: "n1", flags: ["--ignore-daemonsets", "--disable-eviction"] }],
    {
      evictions: [],
      bound: ["m1-~1 n2"],
      ready: { m1: [1, 0, 1] },
      drains: { n1: "completed" },
    },
  ),
  written(
    "a pod webhook whose only backend is drained too lets no pod in",
    [
      nodes("n1 n2"),
      deployment("hook", "n1"),
      deployment("m1", "n1"),
      service("hook"),
      service("m1"),
      webhook("pods", "pods", "", "Fail"),
    ],
    [{ drain: "n1" }],
    {
      ready: { hook: [1, 0, 0], m1: [1, 0, 0] },
      bound: [],
    },
  ),
  written(
    "one that may be ignored does not stand in the way",
    [
      nodes("n1 n2"),
      deployment("hook", "n1"),
      deployment("m1", "n1"),
      service("hook"),
      service("m1"),
      webhook("pods", "pods", "", "Ignore"),
    ],
    [{ drain: "n1" }],
    {
      ready: { hook: [1, 0, 1], m1: [1, 0, 1] },
    },
  ),
  written(
    "a quota of pods counts the one that is still stopping",
    [nodes("n1 n2"), quota("pods", { pods: "1" }, { pods: "1" }), deployment("m1", "n1"), service("m1")],
    [{ drain: "n1" }, all],
    {
      bound: ["m1-~1 n2"],
      ready: { m1: [1, 0, 1] },
    },
  ),
  written(
    "a host port on two nodes: no third copy",
    [
      nodes("n1 n2"),
      deployment("gw", "n1 n2", { container: { ports: [{ containerPort: 80, hostPort: 80 }] } }),
      service("gw"),
    ],
    [{ drain: "n1" }],
    {
      pending: [
        "gw-~1 0/2 nodes are available: 1 node(s) didn't have free ports for the requested pod ports, 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
      ],
    },
  ),
  written(
    "preferred anti-affinity moves beside the other when it must",
    [
      nodes("n1 n2"),
      deployment("m1", "n1 n2", {
        spec: {
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 100,
                  podAffinityTerm: {
                    labelSelector: { matchLabels: { app: "m1" } },
                    topologyKey: "kubernetes.io/hostname",
                  },
                },
              ],
            },
          },
        },
      }),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
    ],
    [{ drain: "n1" }],
    {
      bound: ["m1-~1 n2"],
      ready: { m1: [2, 1, 2] },
    },
  ),
  written(
    "a pod that must stand beside another cannot come back alone",
    [
      nodes("n1 n2"),
      deployment("cache", "n1"),
      deployment("m1", "n1", {
        spec: {
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { labelSelector: { matchLabels: { app: "cache" } }, topologyKey: "kubernetes.io/hostname" },
              ],
            },
          },
        },
      }),
      service("m1"),
    ],
    [{ drain: "n1" }, all],
    {
      bound: ["cache-~1 n2", "m1-~1 n2"],
      ready: { m1: [1, 0, 1] },
    },
  ),
  written(
    "a lower pod that is not Ready holds the StatefulSet up",
    [nodes("n1 n2 n3"), statefulSet("m1", "n1! n2"), service("m1")],
    [{ drain: "n2" }],
    {
      evictions: ["m1-1 201"],
      ready: { m1: [1, 0, 0] },
      bound: [],
    },
  ),
  written(
    "a lone ReplicaSet counts by its scale: two of four are met, with none to spare",
    [
      nodes("n1 n2 n3"),
      loneSet("ReplicaSet", "m1", "n1 n2", { replicas: 4 }),
      service("m1"),
      budget("m1", { min: "50%", status: [4, 2] }),
    ],
    [{ evict: "serving/m1-bcdfg" }],
    { evictions: [`m1-bcdfg ${needs("m1", 2, 2)}`] },
  ),
  written(
    "an unready pod may go while the rest is enough",
    [nodes("n1 n2 n3"), deployment("m1", "n1! n2 n3"), service("m1"), budget("m1", { min: 2, status: [3, 2] })],
    [{ drain: "n1" }],
    {
      evictions: ["m1-bcdfg 201"],
      drains: { n1: "completed" },
      ready: { m1: [2, 2, 3] },
    },
  ),
  written(
    "a rollout that must surge under a full quota stands still",
    [
      nodes("n1 n2"),
      quota("pods", { pods: "2" }, { pods: "2" }),
      deployment("m1", "n1 n2", {
        with: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
      }),
      service("m1"),
    ],
    [
      {
        patch: { spec: { template: { metadata: { annotations: { a: "1" } } } } },
        target: "Deployment/serving/m1",
        type: "merge",
      },
      { wait: "20m" },
    ],
    {
      bound: [],
      ready: { m1: [2, 2, 2] },
      rolloutStalled: true,
      rejected: [
        'ReplicaSet.apps/serving/m1-~1 Error creating: pods "m1-~1-<suffix>" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=2, limited: pods=2',
      ],
    },
  ),
  written(
    "Recreate takes all down before the first comes up",
    [
      nodes("n1 n2"),
      deployment("m1", "n1 n2", { with: { strategy: { type: "Recreate" } } }),
      service("m1"),
      budget("m1", { min: 1, status: [2, 2] }),
    ],
    [
      {
        patch: { spec: { template: { metadata: { annotations: { a: "1" } } } } },
        target: "Deployment/serving/m1",
        type: "merge",
      },
      all,
    ],
    {
      evictions: [],
      ready: { m1: [2, 0, 2] },
    },
  ),
  written(
    "a cordon alone moves nothing",
    [nodes("n1 n2"), deployment("m1", "n1"), service("m1")],
    [{ cordon: ["n1"] }, { wait: "1h" }],
    { evictions: [], deletions: [], bound: [], ready: { m1: [1, 1, 1] } },
  ),
  written(
    "forced after ten minutes past the budget",
    [nodes("n1 n2"), deployment("m1", "n1"), service("m1"), budget("m1", { min: 1, status: [1, 1] })],
    [{ drain: "n1", forceAfter: "10m" }],
    {
      ready: { m1: [1, 0, 1] },
      drains: { n1: "forced" },
    },
  ),
  written(
    "equal priority does not preempt",
    [nodes("n1 n2", { gpu: 1 }), deployment("m1", "n1", { gpu: 1 }), deployment("m2", "n2", { gpu: 1 }), service("m1")],
    [{ drain: "n1" }],
    {
      pending: [
        "m1-~1 0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
      ],
    },
  ),
  written(
    "kept apart with a free node: it moves there",
    [
      nodes("n1 n2 n3"),
      deployment("m1", "n1 n2", { spec: antiAffinity("m1") }),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
    ],
    [{ drain: "n1" }, { uncordon: ["n1"] }, { drain: "n2" }],
    {
      bound: ["m1-~1 n3", "m1-~2 n1"],
      ready: { m1: [2, 1, 2] },
      drains: { n1: "completed", n2: "completed" },
    },
  ),
  written(
    "spread counts stopping pods not",
    [nodes("n1 n2"), deployment("m1", "n1 n2", { spec: spread("m1") }), service("m1")],
    [{ delete: "serving/m1-6d4b75cb6d-bcdfg" }, all],
    { bound: ["m1-~1 n1"], ready: { m1: [2, 1, 2] } },
  ),
];

for (const made of cases) test(made.name, async () => compare(await outcomeOf(made), made.expect));
