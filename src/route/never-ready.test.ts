import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import { endpointsOf } from "./build.ts";

/** Two engines of one set; the second has been running since `since` and is not Ready. The newest pod is of noon. */
const pair = (since: string, status = "False"): string => `
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: m1, namespace: ml, uid: u1, creationTimestamp: "2026-11-01T08:00:00Z"}
spec:
  replicas: 2
  selector: {matchLabels: {app: m1}}
  template: {metadata: {labels: {app: m1}}, spec: {containers: [{name: c, image: "vllm/vllm-openai:v1"}]}}
---
apiVersion: v1
kind: Service
metadata: {name: m1, namespace: ml}
spec: {selector: {app: m1}, ports: [{port: 80}]}
${engine("a", "2026-11-01T12:00:00Z", "True")}
${engine("b", since, status)}
`;

const engine = (name: string, since: string, ready: string): string => `---
apiVersion: v1
kind: Pod
metadata:
  name: m1-${name}
  namespace: ml
  labels: {app: m1}
  creationTimestamp: "${since}"
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: m1, uid: u1, controller: true}]
spec: {nodeName: n1, containers: [{name: c, image: "vllm/vllm-openai:v1"}]}
status: {phase: Running, startTime: "${since}", conditions: [{type: Ready, status: "${ready}"}]}`;

const doubts = (text: string): readonly string[] =>
  endpointsOf(clusterFrom(text)).endpoints.flatMap(({ notModelled }) =>
    notModelled.filter(({ couldChange }) => couldChange.includes("turn Ready")).map(({ what }) => what),
  );

test("one that ran for hours and is not Ready leaves it open whether its like will be", () => {
  assert.deepEqual(doubts(pair("2026-11-01T09:00:00Z")), [
    "ml/m1-b was on its node for more than an hour and is not Ready",
  ]);
});

test("one that may still be starting does not", () => {
  assert.deepEqual(doubts(pair("2026-11-01T11:30:00Z")), []);
});

test("a Ready one does not", () => {
  assert.deepEqual(doubts(pair("2026-11-01T09:00:00Z", "True")), []);
});

test("one whose image has not come for hours leaves it open too", () => {
  const pulling = pair("2026-11-01T09:00:00Z").replace(/phase: Running(?=[^\n]*"False")/, "phase: Pending");
  assert.deepEqual(doubts(pulling), ["ml/m1-b was on its node for more than an hour and is not Ready"]);
});
