import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../../test/support/rows.ts";
import {
  explained,
  incoming,
  message,
  node,
  type PodFields,
  pod,
  type Question,
  viewOf,
} from "../../../test/support/scheduling.ts";
import type { JsonObject, WireObject } from "../../wire/snapshot.ts";
import { anyStart, schedule } from "../schedule.ts";

// Read from plugins/defaultpreemption and framework/preemption, Kubernetes 1.34.4, 1.36.3 and 1.37.2.

/** A pod that fills a node of 4 CPUs to this part. */
const running = (
  name: string,
  on: string,
  cpu: string,
  fields: PodFields = {},
  status: JsonObject = {},
): WireObject => {
  const made = pod(name, { on, requests: { cpu }, labels: { app: name }, ...fields });
  return { ...made, status: { ...(made["status"] as JsonObject), startTime: "2026-01-01T00:00:00Z", ...status } };
};
const important = (cpu = "4", fields: PodFields = {}): WireObject =>
  incoming({ priority: 100, requests: { cpu }, ...fields });
const budget = (name: string, allowed: number, fields: JsonObject = {}): WireObject => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name, namespace: "ns", uid: `budget-${name}`, generation: 1 },
  spec: { minAvailable: 1, selector: { matchLabels: { app: name } } },
  status: {
    observedGeneration: 1,
    disruptionsAllowed: allowed,
    currentHealthy: 1,
    desiredHealthy: 1,
    expectedPods: 1,
    ...fields,
  },
});

/** The nodes that could be chosen, each with its victims. */
function chosen(question: Question): readonly string[] {
  explained(question);
  const view = viewOf(question);
  const waiting = view.pod("ns/new");
  assert.ok(waiting !== undefined);
  const result = schedule(view, waiting, anyStart);
  assert.ok(result.outcome === "unschedulable");
  return result.preemption.map(({ node: name, victims }) => `${name}: ${victims.join(" ")}`);
}

rows("preemption takes", chosen, [
  [
    "as few as it can",
    { objects: [node("a"), running("x", "a", "2"), running("y", "a", "2"), important("2")] },
    ["a: ns/y"],
  ],
  [
    "the youngest of equals",
    {
      objects: [
        node("a"),
        running("old", "a", "2", {}, { startTime: "2025-12-31T00:00:00Z" }),
        running("young", "a", "2"),
        important("2"),
      ],
    },
    ["a: ns/young"],
  ],
  [
    "the less important before the younger",
    {
      objects: [
        node("a"),
        running("low", "a", "2", { priority: -1 }, { startTime: "2025-12-31T00:00:00Z" }),
        running("young", "a", "2"),
        important("2"),
      ],
    },
    ["a: ns/low"],
  ],
  [
    "nobody of its own importance",
    { objects: [node("a"), running("x", "a", "2", { priority: 100 }), important()] },
    [],
  ],
  [
    "whom no budget protects",
    {
      objects: [node("a"), running("x", "a", "2"), running("y", "a", "2"), budget("y", 0), important("2")],
    },
    ["a: ns/x"],
  ],
  [
    "protected ones when there is no other way",
    { objects: [node("a"), running("x", "a", "4"), budget("x", 0), important()] },
    ["a: ns/x"],
  ],
  [
    "not protected by a budget that selects everything",
    {
      objects: [
        node("a"),
        running("x", "a", "2"),
        running("y", "a", "2"),
        { ...budget("y", 0), spec: { minAvailable: 1, selector: {} } },
        important("2"),
      ],
    },
    ["a: ns/y"],
  ],
  [
    "nor when an eviction has been counted already",
    {
      objects: [
        node("a"),
        running("x", "a", "2", {}, { startTime: "2025-12-31T00:00:00Z" }),
        running("y", "a", "2"),
        budget("y", 0, { disruptedPods: { y: "2026-01-01T00:00:00Z" } }),
        important("2"),
      ],
    },
    ["a: ns/y"],
  ],
]);

rows("preemption chooses the node", chosen, [
  [
    "with the fewest violated budgets",
    {
      objects: [
        node("a"),
        node("b"),
        running("x", "a", "4", { priority: -5 }),
        running("y", "b", "4"),
        budget("x", 0),
        important(),
      ],
    },
    ["b: ns/y"],
  ],
  [
    "whose first victim is the least important",
    { objects: [node("a"), node("b"), running("x", "a", "4", { priority: 5 }), running("y", "b", "4"), important()] },
    ["b: ns/y"],
  ],
  [
    "whose victims together are",
    {
      objects: [
        node("a"),
        node("b"),
        running("x1", "a", "2"),
        running("x2", "a", "2"),
        running("y1", "b", "2"),
        running("y2", "b", "2", { priority: -7 }),
        important(),
      ],
    },
    ["b: ns/y1 ns/y2"],
  ],
  [
    "with fewer victims, even of negative priority",
    {
      objects: [
        node("a"),
        node("b"),
        running("x1", "a", "2", { priority: -3 }),
        running("x2", "a", "2", { priority: -3 }),
        running("y", "b", "4", { priority: -3 }),
        important(),
      ],
    },
    ["b: ns/y"],
  ],
  [
    "whose victims started last",
    {
      objects: [
        node("a"),
        node("b"),
        running("x", "a", "4"),
        running("y", "b", "4", {}, { startTime: "2026-01-01T00:00:01Z" }),
        important(),
      ],
    },
    ["b: ns/y"],
  ],
  [
    "or any of those still equal",
    { objects: [node("a"), node("b"), running("x", "a", "4"), running("y", "b", "4"), important()] },
    ["a: ns/x", "b: ns/y"],
  ],
]);

const cordoned = node("n2", { unschedulable: true, allocatable: { gpu: "1" } });
const withGpu = node("n1", { allocatable: { "test/gpu": "1" } });
const wantsGpu = { requests: { cpu: "1", "test/gpu": "1" } };
const spread = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "dns" } },
    },
  ],
};
const dns = { labels: { app: "dns" }, priority: 2_000_000_000, spec: spread };
const gpuNodes = ["g1", "g2"].map((name) => node(name, { taints: [{ key: "gpu", effect: "NoSchedule" }] }));

rows("preemption says", message, [
  [
    "that nobody is less important",
    { objects: [withGpu, cordoned, pod("m2", { on: "n1", priority: 1000, ...wantsGpu }), incoming(wantsGpu)] },
    "0/2 nodes are available: 1 Insufficient test/gpu, 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
  ],
  [
    "in 1.37 without the claims",
    {
      minor: 37,
      objects: [withGpu, cordoned, pod("m2", { on: "n1", priority: 1000, ...wantsGpu }), incoming(wantsGpu)],
    },
    "0/2 nodes are available: 1 Insufficient test/gpu, 1 node(s) were unschedulable. preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
  ],
  [
    "that the pod's policy forbids it",
    {
      objects: [
        withGpu,
        pod("m1", { on: "n1", ...wantsGpu }),
        important("1", { ...wantsGpu, spec: { preemptionPolicy: "Never" } }),
      ],
    },
    "0/1 nodes are available: 1 Insufficient test/gpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
  ],
  [
    "nothing when it helps",
    { objects: [withGpu, pod("m1", { on: "n1", ...wantsGpu }), important("1", wantsGpu)] },
    "0/1 nodes are available: 1 Insufficient test/gpu.",
  ],
  [
    "where, from 1.37 on",
    { minor: 37, objects: [withGpu, pod("m1", { on: "n1", ...wantsGpu }), important("1", wantsGpu)] },
    "0/1 nodes are available: 1 Insufficient test/gpu. preemption: found a potential placement for pod on node n1, preempting 1 victims",
  ],
  [
    "why it does not help where victims were found",
    {
      objects: [
        ...["s1", "s2"].flatMap((name) => [
          node(name),
          pod(`dns-${name}`, { on: name, ...dns }),
          running(`w-${name}`, name, "1"),
        ]),
        ...gpuNodes,
        incoming(dns),
      ],
    },
    "0/4 nodes are available: 2 node(s) didn't match pod topology spread constraints, 2 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/4 nodes are available: 2 Preemption is not helpful for scheduling, 2 node(s) didn't match pod topology spread constraints.",
  ],
  [
    "and on a cordoned node nothing",
    {
      objects: [
        node("s1", { unschedulable: true }),
        node("s2"),
        pod("dns-s2", { on: "s2", ...dns }),
        running("w", "s2", "1"),
        ...gpuNodes,
        incoming(dns),
      ],
    },
    "0/4 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) were unschedulable, 2 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/4 nodes are available: 1 node(s) didn't match pod topology spread constraints, 3 Preemption is not helpful for scheduling.",
  ],
]);

const leaving = (reason: string): WireObject => {
  const made = running("x", "a", "4", { terminating: true });
  const condition = { type: "DisruptionTarget", status: "True", reason };
  return { ...made, status: { ...(made["status"] as JsonObject), conditions: [condition] } };
};

rows("preemption waits for its victims", message, [
  [
    "on the node it chose",
    { objects: [node("a"), leaving("PreemptionByScheduler"), important("4", { nominated: "a" })] },
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to a terminating pod on the nominated node.",
  ],
  [
    "but not for pods that leave for other reasons",
    { objects: [node("a"), leaving("EvictionByEvictionAPI"), important("4", { nominated: "a" })] },
    "0/1 nodes are available: 1 Insufficient cpu.",
  ],
]);

test("preemption among more than 100 nodes: what the scheduler could find from any start", () => {
  const hosts = Array.from({ length: 130 }, (_, index) => `n${String(index).padStart(3, "0")}`);
  // One node has the least important victim; starts beyond it find 100 others first.
  const objects = hosts.flatMap((name, index) => [
    node(name),
    running(`v${index}`, name, "4", { priority: index === 0 ? -1 : 0 }),
  ]);
  const nodes = chosen({ objects: [...objects, important()] }).map((one) => one.split(":")[0]);
  assert.equal(nodes[0], "n000");
  assert.equal(nodes.length, 130);
});

/** Whether the choice of victims is one of several. */
function drawn(question: Question): boolean {
  const view = viewOf(question);
  const waiting = view.pod("ns/new");
  assert.ok(waiting !== undefined);
  const result = schedule(view, waiting, anyStart);
  assert.ok(result.outcome === "unschedulable");
  return result.preemption.some((candidate) => candidate.drawn);
}

rows("preemption draws", drawn, [
  [
    "among pods as important, when one of them is enough",
    { objects: [node("a"), running("p", "a", "2"), running("q", "a", "2"), important("2")] },
    true,
  ],
  [
    "not when both have to go",
    { objects: [node("a"), running("p", "a", "2"), running("q", "a", "2"), important("4")] },
    false,
  ],
  [
    "not when one of them has run for longer",
    {
      objects: [
        node("a"),
        running("p", "a", "2"),
        running("q", "a", "2", {}, { startTime: "2026-01-01T00:00:01Z" }),
        important("2"),
      ],
    },
    false,
  ],
  [
    "not when one of them matters more",
    { objects: [node("a"), running("p", "a", "2"), running("q", "a", "2", { priority: 1 }), important("2")] },
    false,
  ],
]);
