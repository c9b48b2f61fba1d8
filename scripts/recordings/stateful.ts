import type { Fields, Item } from "./objects.ts";
import { budget, daemonSet, node, nodes, podSpec, service, statefulSet } from "./objects.ts";
import type { Recording } from "./recording.ts";
import { recording } from "./recording.ts";
import { all, ref, scale, three } from "./steps.ts";

function fresh(kind: "StatefulSet" | "DaemonSet", name: string, spec: Fields, cpu = "1"): Item {
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name, namespace: "serving" },
    spec: {
      selector: { matchLabels: { app: name } },
      ...(kind === "StatefulSet" ? { serviceName: name } : {}),
      template: { metadata: { labels: { app: name } }, spec: podSpec(name, { cpu }) },
      ...spec,
    },
  };
}

function job(name: string, spec: Fields): Item {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "serving" },
    spec: {
      ...spec,
      template: { metadata: { labels: { app: name } }, spec: { ...podSpec(name, {}), restartPolicy: "Never" } },
    },
  };
}

const touch = (kind: string, name: string, more: Fields = {}): Fields => ({
  patch: { spec: { template: { metadata: { annotations: { touched: "1" } } }, ...more } },
  target: ref(name, kind),
  type: "strategic",
});
const keeps: Fields = { minReadySeconds: 0 };

/** Pods with names, pods on every node, pods that end. */
export const named: readonly Recording[] = [
  recording(
    "stateful-ordered-start",
    "One after the other, each waits for the one before to be Ready.",
    [three, service("m1")],
    [{ apply: [fresh("StatefulSet", "m1", { replicas: 3 })] }, all],
  ),
  recording(
    "stateful-parallel-start",
    "All at once.",
    [three, service("m1")],
    [{ apply: [fresh("StatefulSet", "m1", { replicas: 3, podManagementPolicy: "Parallel" })] }, all],
  ),
  recording(
    "stateful-update",
    "Highest first, one at a time.",
    [three, service("m1")],
    [
      { apply: [fresh("StatefulSet", "m1", { replicas: 3, podManagementPolicy: "Parallel" })] },
      all,
      touch("StatefulSet", "m1"),
      all,
    ],
  ),
  recording(
    "stateful-update-partition",
    "Only ordinals from the partition up.",
    [three, service("m1")],
    [
      {
        apply: [
          fresh("StatefulSet", "m1", {
            replicas: 3,
            podManagementPolicy: "Parallel",
            updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
          }),
        ],
      },
      all,
      touch("StatefulSet", "m1"),
      all,
    ],
  ),
  recording(
    "stateful-update-stuck",
    "The first updated pod finds no node: the update waits for it, nothing else moves.",
    [three, service("m1")],
    [
      { apply: [fresh("StatefulSet", "m1", { replicas: 3, podManagementPolicy: "Parallel", ...keeps })] },
      all,
      {
        patch: {
          spec: { template: { spec: { containers: [{ name: "main", resources: { requests: { cpu: "20" } } }] } } },
        },
        target: ref("m1", "StatefulSet"),
        type: "strategic",
      },
      all,
    ],
  ),
  recording(
    "stateful-evict",
    "The pod comes back under its name once the old one is gone.",
    [three, statefulSet("m1", "n1 n2"), service("m1")],
    [{ evict: "serving/m1-0" }],
    { timing: { podStop: { "*": "2s" } } },
  ),
  recording(
    "stateful-evict-two-ordered",
    "Two gone at once: the lower one is made first, the higher waits for it.",
    [three, statefulSet("m1", "n1 n2 n3"), service("m1")],
    [{ evict: "serving/m1-0" }, { evict: "serving/m1-1" }],
  ),
  recording(
    "stateful-evict-two-parallel",
    "Two gone at once, made at once.",
    [three, statefulSet("m1", "n1 n2 n3", { with: { podManagementPolicy: "Parallel" } }), service("m1")],
    [{ evict: "serving/m1-0" }, { evict: "serving/m1-1" }],
  ),
  recording(
    "stateful-blocked-by-unready",
    "A lower ordinal that is not Ready keeps a lost higher one from coming back.",
    [three, statefulSet("m1", "n1! n2 n3"), service("m1")],
    [{ evict: "serving/m1-2" }],
  ),
  recording(
    "stateful-scale-down",
    "The highest first, one at a time.",
    [three, statefulSet("m1", "n1 n2 n3"), service("m1")],
    [scale("m1", 1, "StatefulSet")],
  ),
  recording(
    "stateful-scale-up",
    "The next ordinal, when all before it are Ready.",
    [three, statefulSet("m1", "n1 n2"), service("m1")],
    [scale("m1", 4, "StatefulSet"), all],
  ),
  recording(
    "daemon-deleted",
    "A DaemonSet makes its pod again on the same node, closed or not.",
    [three, daemonSet("agent", "n1 n2 n3")],
    [{ cordon: ["n1"] }, { delete: "serving/agent-bcdfg" }],
  ),
  recording(
    "daemon-update",
    "One at a time, the old one first.",
    [three],
    [{ apply: [fresh("DaemonSet", "agent", {})] }, all, touch("DaemonSet", "agent"), all],
  ),
  recording(
    "daemon-update-surge",
    "With surge the new one first.",
    [three],
    [
      {
        apply: [
          fresh("DaemonSet", "agent", {
            updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          }),
        ],
      },
      all,
      touch("DaemonSet", "agent"),
      all,
    ],
  ),
  recording(
    "daemon-new-node",
    "A node that joins gets its pod; a taint it does not tolerate keeps it away.",
    [nodes("n1 n2"), daemonSet("agent", "n1 n2")],
    [
      { apply: [node("n3")] },
      { wait: "5s" },
      { taint: { node: "n2", key: "gpu", value: "yes", effect: "NoSchedule" } },
    ],
  ),
  recording(
    "job-evicted",
    "A Job makes its pod again after a pause.",
    [three],
    [{ apply: [job("load", { backoffLimit: 3 })] }, { wait: "5s" }, { evict: "serving/load-~1" }],
    { quiet: "14s" },
  ),
  recording(
    "job-evicted-no-retries",
    "Without retries left an evicted Job has failed.",
    [three],
    [{ apply: [job("load", { backoffLimit: 0 })] }, { wait: "5s" }, { evict: "serving/load-~1" }],
    { quiet: "12s" },
  ),
  recording(
    "job-evicted-ignored",
    "A policy that ignores disruptions: the eviction is not counted.",
    [three],
    [
      {
        apply: [
          job("load", {
            backoffLimit: 0,
            podFailurePolicy: {
              rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
            },
          }),
        ],
      },
      { wait: "5s" },
      { evict: "serving/load-~1" },
    ],
    { quiet: "12s", timing: { podStop: { "*": "2s" } } },
  ),
  recording(
    "job-budget",
    "A percentage over a Job's pods cannot be worked out; the budget is never synced.",
    [three, budget("load", { min: "50%" })],
    [{ apply: [job("load", { parallelism: 2, completions: 2 })] }, { wait: "5s" }, { evict: "serving/load-~1" }],
  ),
];
