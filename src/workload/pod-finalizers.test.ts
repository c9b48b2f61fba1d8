import assert from "node:assert/strict";
import { test } from "node:test";
import { finalizerThatStays } from "./pod-finalizers.ts";

test("a Job's and a queue's finalizers go with the pod", () => {
  assert.equal(finalizerThatStays(["batch.kubernetes.io/job-tracking", "kueue.x-k8s.io/managed"]), "");
});

test("anybody else's stays", () => {
  assert.equal(finalizerThatStays(["foregroundDeletion", "example.com/hold"]), "example.com/hold");
});
