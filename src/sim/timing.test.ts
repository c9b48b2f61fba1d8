import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import type { ScenarioTiming } from "./scenario.ts";
import { matchesPattern, mostSpecific, timingOf } from "./timing.ts";

const unsaid: ScenarioTiming = {
  nodeDown: null,
  podStart: [],
  podReady: [],
  podStop: [],
  drainTimeoutMs: null,
  retryMs: null,
};
const span = (ms: number): { leastMs: number; mostMs: number } => ({ leastMs: ms, mostMs: ms });

for (const [pattern, text, fits] of [
  ["*", "serving/engine-0", true],
  ["serving/engine*", "serving/engine-0", true],
  ["serving/engine*", "serving/picker", false],
  ["*/engine", "serving/engine", true],
  ["*/engine", "serving/engine-0", false],
  ["a*b*c", "axxbyyc", true],
  ["a*b*c", "acb", false],
  ["ab*ba", "aba", false],
  ["serving/x", "serving/x", true],
  ["serving/x", "serving/xy", false],
] as const) {
  test(`pattern ${pattern} ${fits ? "fits" : "does not fit"} ${text}`, () =>
    assert.equal(matchesPattern(pattern, text), fits));
}

test("the longest pattern that fits decides", () => {
  const rows = [
    { pattern: "*", span: span(30_000) },
    { pattern: "serving/*", span: span(60_000) },
    { pattern: "other/long-name*", span: span(90_000) },
  ];
  assert.deepEqual(mostSpecific(rows, "serving/a"), span(60_000));
  assert.equal(mostSpecific([], "serving/a"), null);
});

const pod = (name: string, extra: string): string => `
---
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  namespace: serving
  creationTimestamp: "2026-10-01T10:00:00Z"
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: m1, uid: u1, controller: true}]
spec:
  nodeName: n1
  containers: [{name: main, image: x${extra}}]
status:
  phase: Running
  conditions:
  - {type: PodScheduled, status: "True", lastTransitionTime: "2026-10-01T10:00:00Z"}`;

const ready = (seconds: number): string => `
  - {type: Ready, status: "True", lastTransitionTime: "2026-10-01T10:0${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}Z"}`;

const owner = `
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: m1, namespace: serving, uid: u1}
spec:
  replicas: 2
  selector: {matchLabels: {app: m1}}
  template: {metadata: {labels: {app: m1}}, spec: {containers: [{name: main, image: x}]}}`;

test("learnt: from the shortest start seen to twice the longest", () => {
  const cluster = clusterFrom(owner + pod("a", "") + ready(20) + pod("b", "") + ready(50), { problemsAllowed: true });
  const [a] = cluster.pods;
  assert.ok(a);
  assert.deepEqual(timingOf(cluster, unsaid).podStart(a), { leastMs: 20_000, mostMs: 100_000, from: "learnt" });
});

test("a pod that restarted teaches nothing; the default is 30 s, and 10 min with an accelerator", () => {
  const restarted = "\n  containerStatuses: [{name: main, ready: true, restartCount: 2, image: x, imageID: ''}]";
  const plain = clusterFrom(owner + pod("a", "") + ready(20) + restarted, { problemsAllowed: true });
  const [a] = plain.pods;
  assert.ok(a);
  assert.deepEqual(timingOf(plain, unsaid).podStart(a), { leastMs: 30_000, mostMs: 30_000, from: "default" });
  const gpu = clusterFrom(owner + pod("a", ", resources: {limits: {nvidia.com/gpu: 1}}") + restarted, {
    problemsAllowed: true,
  });
  const [engine] = gpu.pods;
  assert.ok(engine);
  assert.equal(timingOf(gpu, unsaid).podStart(engine).mostMs, 600_000);
});

test("what the scenario says goes before what was learnt", () => {
  const cluster = clusterFrom(owner + pod("a", "") + ready(20), { problemsAllowed: true });
  const [a] = cluster.pods;
  assert.ok(a);
  const timing = timingOf(cluster, { ...unsaid, podStart: [{ pattern: "serving/*", span: span(5_000) }] });
  assert.deepEqual(timing.podStart(a), { leastMs: 5_000, mostMs: 5_000, from: "scenario" });
});
