import assert from "node:assert/strict";
import { test } from "node:test";
import { servingCluster, workload } from "../../test/support/serving.ts";
import { factsOf } from "./facts.ts";
import { type Match, matchesPart } from "./match.ts";

function matched(match: Match): boolean {
  const owner = { apiVersion: "example.com/v1", kind: "Thing", name: "t" };
  const things = [
    workload("m-epp", {
      labels: { on: "object" },
      podLabels: { tier: "pods" },
      annotations: { noted: "yes" },
      podAnnotations: { sum: "1" },
      image: "ghcr.io/x/picker:1",
      args: ["serve", "--port", "80"],
      owner,
    }),
  ];
  const [part] = factsOf(servingCluster(things)).parts;
  return part !== undefined && matchesPart(match, part);
}

test("labels and annotations count on the object and on its pods", () => {
  assert.ok(matched({ labels: { on: "object", tier: "pods" } }));
  assert.ok(matched({ annotations: { noted: "yes", sum: "*" } }));
  assert.ok(!matched({ labels: { on: "pods" } }));
  assert.ok(!matched({ labels: { none: "*" } }));
  assert.ok(!matched({ annotations: { none: "*" } }));
});

test("a star is any value, a leading one an ending", () => {
  assert.ok(matched({ labels: { app: "*-epp" } }));
  assert.ok(!matched({ labels: { app: "*-pool" } }));
});

test("everything given must hold, and nothing given matches nothing", () => {
  assert.ok(
    matched({ kinds: ["Deployment"], name: /-epp$/, namespace: "ns", images: ["/picker:"], ownerKind: "Thing" }),
  );
  assert.ok(!matched({ kinds: ["StatefulSet"], name: /-epp$/ }));
  assert.ok(!matched({ namespace: "other" }));
  assert.ok(!matched({ images: ["vllm"] }));
  assert.ok(!matched({ ownerKind: "Other" }));
  assert.ok(!matched({}));
});

test("what runs is looked for in all arguments together", () => {
  assert.ok(matched({ runs: /serve --port/ }));
  assert.ok(!matched({ runs: /^--port/ }));
  assert.ok(!matched({ runs: /serve/, images: ["vllm"] }));
});
