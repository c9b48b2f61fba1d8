import assert from "node:assert/strict";
import { test } from "node:test";
import { incoming, message, node, pod } from "../../test/support/scheduling.ts";
import type { JsonObject } from "../wire/snapshot.ts";

/**
 * Texts a real control plane of Kubernetes 1.36.3 wrote into the PodScheduled condition, byte for byte, for clusters like
 * these: two system and two tainted GPU nodes; three workers and two GPU nodes.
 */
const tainted = { taints: [{ key: "nvidia.com/gpu", effect: "NoSchedule" }] };
const cordonTaint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
const cordoned = { unschedulable: true, taints: [cordonTaint] };
const uncordonedJustNow = { taints: [cordonTaint] };
const gpus = [node("gpu-1", tainted), node("gpu-2", tainted)];
const helpless = "4 Preemption is not helpful for scheduling.";
const tail = "no new claims to deallocate, preemption: 0/4 nodes are available:";

const labels = { app: "epp" };
const spread: JsonObject = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: labels },
    },
  ],
};
const old = (name: string, on: string) => pod(name, { labels, on });

test("recorded: both system nodes cordoned", () => {
  assert.equal(
    message({ objects: [...gpus, node("system-1", cordoned), node("system-2", cordoned), incoming()] }),
    `0/4 nodes are available: 2 node(s) had untolerated taint(s), 2 node(s) were unschedulable. ${tail} ${helpless}`,
  );
});

test("recorded: after an uncordon the field is gone, the taint not yet", () => {
  assert.equal(
    message({ objects: [...gpus, node("system-1", cordoned), node("system-2", uncordonedJustNow), incoming()] }),
    `0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) had untolerated taint(s). ${tail} ${helpless}`,
  );
});

test("recorded: the textbook spread beside tainted nodes", () => {
  const objects = [...gpus, node("system-1"), node("system-2"), old("old-1", "system-1"), old("old-2", "system-2")];
  const filtered =
    "0/4 nodes are available: 2 node(s) didn't match pod topology spread constraints, 2 node(s) had untolerated taint(s).";
  assert.equal(
    message({ objects: [...objects, incoming({ labels, spec: spread })] }),
    `${filtered} ${tail} 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.`,
  );
});

test("recorded: the same for a pod whose priority lets it look for victims", () => {
  const other = (name: string, on: string) => pod(name, { on });
  const dns = { labels, priority: 2_000_000_000 };
  const objects = [
    ...gpus,
    node("system-1"),
    node("system-2"),
    pod("dns-1", { ...dns, on: "system-1" }),
    pod("dns-2", { ...dns, on: "system-2" }),
    other("proxy-1", "system-1"),
    other("proxy-2", "system-2"),
  ];
  assert.equal(
    message({ objects: [...objects, incoming({ ...dns, spec: spread })] }),
    "0/4 nodes are available: 2 node(s) didn't match pod topology spread constraints, 2 node(s) had untolerated taint(s). " +
      `${tail} 2 Preemption is not helpful for scheduling, 2 node(s) didn't match pod topology spread constraints.`,
  );
});

test("recorded: a spread pod waits for the cordoned node", () => {
  const objects = [...gpus, node("system-1", cordoned), node("system-2"), old("old-2", "system-2")];
  assert.equal(
    message({ objects: [...objects, incoming({ labels, spec: spread })] }),
    "0/4 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) were unschedulable, " +
      `2 node(s) had untolerated taint(s). ${tail} 1 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling.`,
  );
});

const gpuNode = { allocatable: { "nvidia.com/gpu": "1" } };
const workers = ["w-1", "w-2", "w-3"].map((name) => node(name));
const apart: JsonObject = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "rank" } } },
      ],
    },
  },
};
const rank = { labels: { app: "rank" }, spec: apart };
const tailOf5 = "no new claims to deallocate, preemption: 0/5 nodes are available:";

test("recorded: anti-affinity, one GPU node cordoned", () => {
  const objects = [
    node("gpu-1", { ...gpuNode, ...cordoned }),
    node("gpu-2", { allocatable: { "nvidia.com/gpu": "2" } }),
    ...workers,
    pod("rank-1", { ...rank, on: "gpu-2", requests: { "nvidia.com/gpu": "1" } }),
  ];
  assert.equal(
    message({ objects: [...objects, incoming({ ...rank, requests: { "nvidia.com/gpu": "1" } })] }),
    "0/5 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 1 node(s) were unschedulable, " +
      `3 Insufficient nvidia.com/gpu. ${tailOf5} 1 No preemption victims found for incoming pod, 4 Preemption is not helpful for scheduling.`,
  );
});

test("recorded: one replica more than GPU nodes", () => {
  const two = { allocatable: { "nvidia.com/gpu": "2" } };
  const objects = [
    node("gpu-1", two),
    node("gpu-2", two),
    ...workers,
    pod("rank-1", { ...rank, on: "gpu-1", requests: { "nvidia.com/gpu": "1" } }),
    pod("rank-2", { ...rank, on: "gpu-2", requests: { "nvidia.com/gpu": "1" } }),
  ];
  assert.equal(
    message({ objects: [...objects, incoming({ ...rank, requests: { "nvidia.com/gpu": "1" } })] }),
    `0/5 nodes are available: 2 node(s) didn't match pod anti-affinity rules, 3 Insufficient nvidia.com/gpu. ${tailOf5} ` +
      "2 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling.",
  );
});
