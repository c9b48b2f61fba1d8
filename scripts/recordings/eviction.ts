import type { Fields } from "./objects.ts";
import {
  budget,
  customResource,
  daemonSet,
  deployment,
  loneSet,
  madeBy,
  nodes,
  pod,
  podOf,
  service,
  statefulSet,
  uid,
} from "./objects.ts";
import type { Recording } from "./recording.ts";
import { recording } from "./recording.ts";
import { three } from "./steps.ts";

const wait = (time: string): Fields => ({ wait: time });
const evict = (name: string): Fields => ({ evict: name });
const noScale = { apiVersion: "ray.io/v1", kind: "RayCluster", name: "m1", uid: uid("ray m1") };
const ray = [
  customResource("ray.io", "v1", "RayCluster", "rayclusters"),
  { apiVersion: "ray.io/v1", kind: "RayCluster", metadata: { name: "m1", namespace: "serving", uid: noScale.uid } },
  ...["n1", "n2"].map((on, index) => pod(`m1-worker-${index}`, on, { labels: { app: "m1" }, owner: noScale }, index)),
];

/** What the eviction subresource answers, one circumstance a recording. */
export const evictions: readonly Recording[] = [
  recording(
    "evict-no-budget",
    "A pod no budget selects goes at the first try.",
    [three, deployment("m1", "n1 n2"), service("m1")],
    [evict(podOf("m1", 0))],
  ),
  recording(
    "evict-allowed-then-refused",
    "One may be down: the first goes, the second is refused until the replacement is Ready, then goes too.",
    [three, deployment("m1", "n1 n2"), service("m1"), budget("m1", { max: 1, status: [2, 2] })],
    [
      evict(podOf("m1", 0)),
      wait("1s"),
      evict(podOf("m1", 1)),
      { waitReady: "all" },
      wait("500ms"),
      evict(podOf("m1", 1)),
    ],
  ),
  recording(
    "evict-two-budgets",
    "Two budgets over one pod: an error, whatever each of them allows.",
    [
      three,
      deployment("m1", "n1 n2", { labels: { tier: "model" } }),
      budget("m1", { max: 1, status: [2, 2] }),
      budget("tier", { min: 1, selector: { matchLabels: { tier: "model" } }, status: [2, 2] }),
    ],
    [evict(podOf("m1", 0))],
  ),
  recording(
    "evict-pending-pod",
    "A pod that waits for a node goes although the budget allows nothing.",
    [nodes("n1 n2", { gpu: 1 }), deployment("m1", "n1 n2 ?", { gpu: 1 }), budget("m1", { min: 3, status: [3, 2] })],
    [evict(podOf("m1", 2)), wait("1s"), evict(podOf("m1", 0))],
  ),
  recording(
    "evict-starting-pod",
    "A bound pod that is not Running yet goes although the budget allows nothing.",
    [three, deployment("m1", "n1 n2?"), budget("m1", { min: 1, status: [2, 1] })],
    [evict(podOf("m1", 0)), evict(podOf("m1", 1))],
  ),
  recording(
    "evict-unready-budget-met",
    "An unready pod goes while the budget is met; nothing is taken from what the budget allows.",
    [three, deployment("m1", "n1 n2!"), service("m1"), budget("m1", { min: 1, status: [2, 1] })],
    [evict(podOf("m1", 1)), wait("500ms"), evict(podOf("m1", 0))],
  ),
  recording(
    "evict-unready-budget-not-met",
    "An unready pod stays while fewer are healthy than the budget wants.",
    [three, deployment("m1", "n1! n2!"), budget("m1", { min: 1, status: [2, 0] })],
    [evict(podOf("m1", 0))],
  ),
  recording(
    "evict-unready-always-allow",
    "AlwaysAllow lets an unready pod go, whatever the counts; a ready one still waits.",
    [three, deployment("m1", "n1! n2! n3"), budget("m1", { min: 2, policy: "AlwaysAllow", status: [3, 1] })],
    [evict(podOf("m1", 0)), evict(podOf("m1", 2))],
  ),
  recording(
    "evict-unready-nothing-wanted",
    "With nothing wanted the exception for unready pods does not hold, and nothing healthy can be counted down: refused.",
    [three, deployment("m1", "n1!"), budget("m1", { max: 1, status: [1, 0] })],
    [evict(podOf("m1", 0))],
  ),
  recording(
    "evict-never-synced",
    "An owner without scale and a budget that has to know it: never synced, so every try is told to wait, with Retry-After.",
    [three, ray, budget("m1", { max: 1 })],
    [evict("serving/m1-worker-0")],
  ),
  recording(
    "evict-no-scale-integer-min",
    "The same owner under an integer minAvailable: pods are counted, no scale is read.",
    [three, ray, budget("m1", { min: 1, status: [2, 2] })],
    [evict("serving/m1-worker-0"), wait("1s"), evict("serving/m1-worker-1")],
  ),
  recording(
    "evict-sync-failed-later",
    "A budget that had synced fails when a DaemonSet's pod joins it: the refusal names the failure.",
    [
      three,
      deployment("m1", "n1 n2", { labels: { tier: "model" } }),
      daemonSet("agent", "n1 n2 n3"),
      budget("m1", { max: 1, selector: { matchLabels: { tier: "model" } }, status: [2, 2] }),
    ],
    [
      {
        patch: { metadata: { labels: { tier: "model" } } },
        target: { apiVersion: "v1", kind: "Pod", namespace: "serving", name: "agent-bcdfg" },
        type: "merge",
      },
      wait("2s"),
      evict(podOf("m1", 0)),
    ],
  ),
  recording(
    "evict-min-percent-rounds-up",
    "66% of three is two: one may go, then none.",
    [nodes("n1 n2 n3 n4"), deployment("m1", "n1 n2 n3"), service("m1"), budget("m1", { min: "66%", status: [3, 3] })],
    [evict(podOf("m1", 0)), wait("500ms"), evict(podOf("m1", 1))],
  ),
  recording(
    "evict-max-percent-rounds-up",
    "30% of four is two: two may be down at once, a third not.",
    [
      nodes("n1 n2 n3 n4"),
      deployment("m1", "n1 n2 n3 n4"),
      service("m1"),
      budget("m1", { max: "30%", status: [4, 4] }),
    ],
    [evict(podOf("m1", 0)), wait("500ms"), evict(podOf("m1", 1)), wait("500ms"), evict(podOf("m1", 2))],
  ),
  recording(
    "evict-half-of-one",
    "50% of one is one.",
    [three, deployment("m1", "n1"), budget("m1", { min: "50%", status: [1, 1] })],
    [evict(podOf("m1", 0))],
  ),
  recording(
    "evict-zero-and-whole",
    "maxUnavailable 0 and minAvailable 100% allow nothing, maxUnavailable 100% and minAvailable 0 everything.",
    [
      three,
      ...(["zero", "whole", "all", "none"] as const).map((name) => deployment(name, "n1 n2")),
      budget("zero", { max: 0, status: [2, 2] }),
      budget("whole", { min: "100%", status: [2, 2] }),
      budget("all", { max: "100%", status: [2, 2] }),
      budget("none", { min: 0, status: [2, 2] }),
    ],
    [
      evict(podOf("zero", 0)),
      evict(podOf("whole", 0)),
      evict(podOf("all", 0)),
      evict(podOf("all", 1)),
      evict(podOf("none", 0)),
      evict(podOf("none", 1)),
    ],
  ),
  recording(
    "evict-bare-integer-min",
    "Pods without an owner count as healthy: two of them, one has to stay.",
    [
      three,
      ["n1", "n2"].map((on, index) => pod(`solo-${index}`, on, { labels: { app: "solo" } }, index)),
      service("solo"),
      budget("solo", { min: 1, status: [2, 2] }),
    ],
    [evict("serving/solo-0"), wait("1s"), evict("serving/solo-1")],
  ),
  recording(
    "evict-bare-max",
    "Pods without an owner add nothing to what a maxUnavailable expects: nothing may ever go.",
    [
      three,
      ["n1", "n2"].map((on, index) => pod(`solo-${index}`, on, { labels: { app: "solo" } }, index)),
      budget("solo", { max: 1, status: [0, 2] }),
    ],
    [evict("serving/solo-0")],
  ),
  recording(
    "evict-empty-selector",
    "An empty selector covers every pod of the namespace, and with another budget that is two.",
    [
      three,
      deployment("m1", "n1 n2"),
      deployment("m2", "n1 n2"),
      pod("solo", "n3"),
      budget("everything", { min: 4, selector: {}, status: [5, 5] }),
      budget("m2", { max: 1, status: [2, 2] }),
    ],
    [evict(podOf("m2", 0)), evict(podOf("m1", 0)), wait("500ms"), evict("serving/solo")],
  ),
  recording(
    "evict-selector-expressions",
    "Expressions select too, and a budget of another namespace does not.",
    [
      three,
      deployment("m1", "n1 n2", { labels: { tier: "model" } }),
      deployment("m2", "n1", { labels: { tier: "gateway" } }),
      deployment("m1", "n1", { ns: "other", labels: { tier: "model" } }),
      budget("by-tier", {
        max: 0,
        selector: { matchExpressions: [{ key: "tier", operator: "In", values: ["model", "picker"] }] },
        status: [2, 2],
      }),
    ],
    [evict(podOf("m1", 0)), evict(podOf("m2", 0)), evict(podOf("m1", 0, "other"))],
  ),
  recording(
    "evict-twice",
    "A pod already on its way out may be evicted again, the budget is not asked.",
    [three, deployment("m1", "n1 n2"), budget("m1", { max: 1, status: [2, 2] })],
    [evict(podOf("m1", 0)), evict(podOf("m1", 0))],
    { timing: { podStop: { "*": "3s" } } },
  ),
  recording("evict-missing", "There is no such pod.", [three, deployment("m1", "n1")], [evict("serving/nobody")]),
  recording(
    "evict-finished",
    "A finished pod goes although the budget allows nothing.",
    [
      three,
      pod("batch", "n1$", { labels: { app: "m1" } }),
      deployment("m1", "n2"),
      budget("m1", { min: 1, status: [2, 1] }),
    ],
    [evict("serving/batch"), evict(podOf("m1", 0))],
  ),
  recording(
    "evict-two-owners-summed",
    "maxUnavailable over two Deployments: what both want is summed.",
    [
      nodes("n1 n2 n3 n4"),
      ["a", "b"].map((name) => deployment(name, "n1 n2", { labels: { group: "pool" } })),
      budget("pool", { max: "50%", selector: { matchLabels: { group: "pool" } }, status: [4, 4] }),
    ],
    [evict(podOf("a", 0)), evict(podOf("a", 1)), wait("500ms"), evict(podOf("b", 0))],
  ),
  recording(
    "evict-wanted-not-there",
    "maxUnavailable counts from the replicas wanted, so a pod that waits for a node uses the budget up.",
    [
      nodes("n1 n2", { gpu: 1 }),
      deployment("m1", "n1 n2 ?", { gpu: 1 }),
      service("m1"),
      budget("m1", { max: 1, status: [3, 2] }),
    ],
    [evict(podOf("m1", 0))],
  ),
  recording(
    "evict-refills",
    "What the budget allows comes back when the replacement is Ready, not before.",
    [three, deployment("m1", "n1 n2 n3"), service("m1"), budget("m1", { min: 2, status: [3, 3] })],
    [
      evict(podOf("m1", 0)),
      wait("1500ms"),
      evict(podOf("m1", 1)),
      wait("3s"),
      evict(podOf("m1", 1)),
      { waitReady: "all" },
      wait("500ms"),
      evict(madeBy("m1", 1)),
    ],
  ),
  recording(
    "evict-stateful-percent",
    "A budget in percent over a StatefulSet reads its scale; the pod comes back under its name after the old one is gone.",
    [
      three,
      statefulSet("m1", "n1 n2 n3"),
      service("m1", "m1", "serving", { clusterIP: "None" }),
      budget("m1", { max: "34%", status: [3, 3] }),
    ],
    [evict("serving/m1-2"), wait("500ms"), evict("serving/m1-1"), wait("500ms"), evict("serving/m1-0")],
  ),
  recording(
    "evict-replication-controller",
    "A budget in percent over a ReplicationController.",
    [
      three,
      loneSet("ReplicationController", "m1", "n1 n2"),
      service("m1"),
      budget("m1", { min: "50%", status: [2, 2] }),
    ],
    [evict("serving/m1-bcdfg"), wait("500ms"), evict("serving/m1-hjklm")],
  ),
  recording(
    "evict-lone-replica-set",
    "A ReplicaSet nobody owns replaces at once, when the deletion begins.",
    [three, loneSet("ReplicaSet", "m1", "n1 n2"), service("m1"), budget("m1", { max: 1, status: [2, 2] })],
    [evict("serving/m1-bcdfg")],
    { timing: { podStop: { "*": "4s" } } },
  ),
  recording(
    "evict-budget-edited",
    "A budget made wider is counted again before it allows more.",
    [three, deployment("m1", "n1 n2"), budget("m1", { min: 2, status: [2, 2] })],
    [
      evict(podOf("m1", 0)),
      {
        patch: { spec: { minAvailable: 1 } },
        target: { apiVersion: "policy/v1", kind: "PodDisruptionBudget", namespace: "serving", name: "m1" },
        type: "merge",
      },
      wait("1s"),
      evict(podOf("m1", 0)),
    ],
  ),
  recording(
    "evict-scaled-up-first",
    "Scaling up helps only once the new pod is Ready; with maxUnavailable the wish alone makes the budget want more.",
    [three, deployment("m1", "n1"), service("m1"), budget("m1", { max: "40%", status: [1, 1] })],
    [
      { scale: { ref: { apiVersion: "apps/v1", kind: "Deployment", namespace: "serving", name: "m1" }, replicas: 2 } },
      wait("1s"),
      evict(podOf("m1", 0)),
      { waitReady: "all" },
      wait("500ms"),
      evict(podOf("m1", 0)),
    ],
  ),
];
