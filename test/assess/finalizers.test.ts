import assert from "node:assert/strict";
import { test } from "node:test";
import { loadText } from "../../src/load/from-files.ts";
import { checkReport } from "../support/assess.ts";
import { nodeOf, running, twoOf } from "../support/findings.ts";
import { service, type Thing } from "../support/serving.ts";

// When a finalizer goes off a pod of somebody else is not known: only what hangs on that is left open.

const nodes = ["a1", "a2", "b1", "b2"].map((name) =>
  nodeOf({ name, pool: name.slice(0, 1), zone: name, gpus: 0, cpu: "4" }),
);

function part(name: string, pool: string, on: string[]): readonly Thing[] {
  const spec = twoOf(name, "ns", on);
  spec.spec["nodeSelector"] = { "node-pool": pool };
  spec.replicas = on.length;
  if (on.length === 1) spec.budgets = [];
  const annotations = { "holdfast.dev/endpoint": name, "holdfast.dev/max-down": "20m" };
  return [...running(name, spec), service(name, { app: name }, { annotations })];
}

const batch = (finalizers: string[]): Thing => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "batch",
    namespace: "other",
    finalizers,
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "batch", uid: "batch", controller: true }],
  },
  spec: { nodeName: "a1", nodeSelector: { "node-pool": "a" }, containers: [{ name: "c", image: "c" }] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
});

/** Verdicts of one endpoint in each of two pools. */
function verdicts(finalizers: string[], near: string[]): readonly string[] {
  const things = [...nodes, ...part("near", "a", near), ...part("far", "b", ["b1", "b2"]), batch(finalizers)];
  const text = things.map((thing) => JSON.stringify(thing)).join("\n");
  const { endpoints, notModelled } = checkReport(loadText(text, "cluster.yaml"), { actors: ["kubectl-drain-in-turn"] });
  const named = notModelled.filter(({ what }) => what.includes("finalizer")).map(({ what }) => what);
  const told = endpoints.map(({ name, verdict, notModelled: gaps }) =>
    [name, verdict, ...gaps.map(({ what }) => what)].join(" "),
  );
  return [...told, ...named];
}

const gap = "who takes the finalizer a.b/c off other/batch";

test("what other nodes have and no drain moves is safe, and so is what a budget holds whenever it goes", () => {
  assert.deepEqual(verdicts(["a.b/c"], ["a1", "a2"]), ["far safe", "near safe", gap]);
});

test("what is known by its courses alone is left open", () => {
  assert.deepEqual(verdicts(["a.b/c"], ["a1"]), ["far safe", `near undecided ${gap}`, gap]);
  assert.deepEqual(verdicts([], ["a1"]), ["far safe", "near safe"]);
});
