import assert from "node:assert/strict";
import { test } from "node:test";
import type { Minor } from "./cluster.ts";
import { podLimits, podRequests, type ReportedResources, type Summed, type SummedContainer } from "./pod-requests.ts";
import { type Amounts, parseQuantity } from "./quantity.ts";

function amounts(written: Readonly<Record<string, string>>): Amounts {
  return new Map(Object.entries(written).map(([name, text]) => [name, parseQuantity(text) ?? -1n]));
}

function container(name: string, requests: Readonly<Record<string, string>>, sidecar = false): SummedContainer {
  return { name, sidecar, requests: amounts(requests), limits: amounts(requests) };
}

function pod(parts: Partial<Summed>): Summed {
  return { containers: [], initContainers: [], podLevel: null, overhead: new Map(), ...parts };
}

const two = [container("a", { cpu: "1" }), container("b", { cpu: "500m" })];

/** Name, pod, CPU counted. Mirrors component-helpers resource PodRequests, v0.36.3; checked against it on random pods. */
const rows: readonly (readonly [string, Summed, string])[] = [
  ["containers add up", pod({ containers: two }), "1500m"],
  [
    "a smaller init container costs nothing",
    pod({ containers: two, initContainers: [container("i", { cpu: "1" })] }),
    "1500m",
  ],
  [
    "a larger init container is the peak",
    pod({ containers: two, initContainers: [container("i", { cpu: "4" })] }),
    "4",
  ],
  [
    "a sidecar runs beside the containers",
    pod({ containers: two, initContainers: [container("s", { cpu: "1" }, true)] }),
    "2500m",
  ],
  [
    "an init container runs beside the sidecars before it",
    pod({ containers: two, initContainers: [container("s", { cpu: "1" }, true), container("i", { cpu: "2" })] }),
    "3",
  ],
  [
    "and not beside those after it",
    pod({ containers: two, initContainers: [container("i", { cpu: "2" }), container("s", { cpu: "1" }, true)] }),
    "2500m",
  ],
  [
    "a pod-level request replaces the sum",
    pod({ containers: two, podLevel: { requests: amounts({ cpu: "3" }), limits: new Map() } }),
    "3",
  ],
  ["overhead is added", pod({ containers: two, overhead: amounts({ cpu: "250m" }) }), "1750m"],
];

for (const [name, summed, expected] of rows) {
  test(name, () => assert.equal(podRequests(summed, 36, null).get("cpu"), parseQuantity(expected)));
}

test("resources that cannot be stated for the whole pod are still the containers' sum", () => {
  const summed = pod({
    containers: [container("a", { "nvidia.com/gpu": "2" })],
    podLevel: { requests: amounts({ cpu: "1", "nvidia.com/gpu": "8" }), limits: new Map() },
  });
  assert.equal(podRequests(summed, 36, null).get("nvidia.com/gpu"), parseQuantity("2"));
});

test("overhead counts toward a limit only where one is stated", () => {
  const summed = pod({ containers: [container("a", { cpu: "1" })], overhead: amounts({ cpu: "1", memory: "1Gi" }) });
  const limits = podLimits(summed);
  assert.equal(limits.get("cpu"), parseQuantity("2"));
  assert.equal(limits.has("memory"), false);
});

function reported(parts: Partial<ReportedResources>): ReportedResources {
  return { containers: new Map(), podActual: null, podStated: false, podAllocated: null, infeasible: false, ...parts };
}

const growing = pod({ containers: [container("a", { cpu: "2" }), container("b", { cpu: "1" })] });
const ranWith = (a: string, b: string): ReportedResources["containers"] =>
  new Map([
    ["a", { stated: true, actual: amounts({ cpu: a }), allocated: amounts({ cpu: a }) }],
    ["b", { stated: true, actual: amounts({ cpu: b }), allocated: amounts({ cpu: b }) }],
  ]);

/** Name, version, what the kubelet reports, CPU counted of a pod whose spec asks for 2 and 1. */
const resizes: readonly (readonly [string, Minor, ReportedResources, string])[] = [
  ["growing counts as grown", 36, reported({ containers: ranWith("1", "1") }), "3"],
  ["shrinking counts as before until it is done", 36, reported({ containers: ranWith("3", "1") }), "4"],
  ["up to 1.36 the most of each container counts", 36, reported({ containers: ranWith("3", "500m") }), "4"],
  ["since 1.37 the larger of the sums", 37, reported({ containers: ranWith("3", "500m") }), "3500m"],
  ["an infeasible resize leaves what runs", 36, reported({ containers: ranWith("1", "1"), infeasible: true }), "2"],
  ["and so since 1.37", 37, reported({ containers: ranWith("1", "1"), infeasible: true }), "2"],
];

for (const [name, minor, report, expected] of resizes) {
  test(`resize: ${name}`, () => assert.equal(podRequests(growing, minor, report).get("cpu"), parseQuantity(expected)));
}

test("a pod-level resize counts since 1.36", () => {
  const summed = pod({ podLevel: { requests: amounts({ cpu: "2" }), limits: new Map() } });
  const report = reported({ podStated: true, podActual: amounts({ cpu: "3" }), podAllocated: amounts({ cpu: "3" }) });
  assert.equal(podRequests(summed, 35, report).get("cpu"), parseQuantity("2"));
  assert.equal(podRequests(summed, 36, report).get("cpu"), parseQuantity("3"));
});
