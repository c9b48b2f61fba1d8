import assert from "node:assert/strict";
import { test } from "node:test";
import { group, object, pod, service, servingCluster, type Thing, workload } from "../../test/support/serving.ts";
import { factsOf } from "./facts.ts";

function partsOf(things: readonly Thing[]): readonly string[] {
  return factsOf(servingCluster(things)).parts.map(
    ({ workload: { ref }, pods }) => `${ref.kind} ${ref.name}: ${pods.map(({ name }) => name).join(" ")}`,
  );
}

const owner = (kind: string, name: string, apiVersion = "apps/v1"): Thing => ({ apiVersion, kind, name });

test("pods belong to the Deployment above their ReplicaSet, read or not", () => {
  const one = pod("m-h-1", { owner: owner("ReplicaSet", "m-h") });
  const replicaSet = workload("m-h", { kind: "ReplicaSet", owner: owner("Deployment", "m") });
  assert.deepEqual(partsOf([workload("m"), replicaSet, one]), ["Deployment m: m-h-1"]);
  assert.deepEqual(partsOf([workload("m"), one]), ["Deployment m: m-h-1"]);
  assert.deepEqual(partsOf([one]), ["ReplicaSet m-h: m-h-1"]);
});

test("a custom resource above a Deployment owns fields, not pods", () => {
  const made = workload("m", { owner: owner("InferenceService", "m", "serving.kserve.io/v1beta1") });
  assert.deepEqual(partsOf([made]), ["Deployment m: "]);
});

test("a rollout of another maker that scales stands above its ReplicaSets", () => {
  const rollout = object("argoproj.io/v1alpha1", "Rollout", "m", { replicas: 2 });
  const replicaSet = workload("m-h", { kind: "ReplicaSet", owner: owner("Rollout", "m", "argoproj.io/v1alpha1") });
  assert.deepEqual(partsOf([rollout, replicaSet, pod("m-1", { owner: owner("ReplicaSet", "m-h") })]), [
    "Rollout m: m-1",
  ]);
});

test("workers of a group belong to the set, through their leader", () => {
  const statefulSet = (name: string, of: Thing): Thing => workload(name, { kind: "StatefulSet", owner: of });
  const things = [
    group("big", { size: 2 }),
    statefulSet("big", owner("LeaderWorkerSet", "big", "leaderworkerset.x-k8s.io/v1")),
    pod("big-0", { owner: owner("StatefulSet", "big") }),
    statefulSet("big-0", owner("Pod", "big-0", "v1")),
    pod("big-0-1", { owner: owner("StatefulSet", "big-0") }),
  ];
  assert.deepEqual(partsOf(things), ["LeaderWorkerSet big: big-0 big-0-1"]);
});

test("bare pods stand for themselves; finished ones are gone", () => {
  const done = { ...pod("done"), status: { phase: "Succeeded" } };
  assert.deepEqual(partsOf([pod("alone"), done]), ["Pod alone: alone"]);
  const app = { labels: { app: "m" } };
  assert.deepEqual(partsOf([pod("m-1", app), pod("n", { labels: { app: "n" } }), pod("m-0", app)]), [
    "Pod m-1: m-1 m-0",
    "Pod n: n",
  ]);
});

test("pods of a Job are its part while one runs", () => {
  const job = object("batch/v1", "Job", "j", { template: { spec: { containers: [{ name: "main", image: "m:1" }] } } });
  const of = owner("Job", "j", "batch/v1");
  const done = { ...pod("j-0", { owner: of }), status: { phase: "Succeeded" } };
  assert.deepEqual(partsOf([job, done]), []);
  assert.deepEqual(partsOf([job, done, pod("j-1", { owner: of })]), ["Job j: j-1"]);
});

test("a Service finds workloads by the pods they would make, also before there are any", () => {
  const facts = factsOf(servingCluster([workload("m"), workload("n"), service("m", { app: "m" }), service("all", {})]));
  const selected = (name: string): readonly string[] => {
    const found = facts.service("ns", name);
    return found === undefined ? ["no such Service"] : facts.selectedBy(found).map((part) => part.workload.ref.name);
  };
  assert.deepEqual(selected("m"), ["m"]);
  assert.deepEqual(selected("all"), []);
});
