import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";

const template = "{ spec: { containers: [{ name: c, image: i }] } }";

function told(text: string): readonly string[] {
  return clusterFrom(text, { problemsAllowed: true }).problems.map(({ message }) => message);
}

test("groups times their size is what counts", () => {
  const groups = (replicas: number, size: number): string =>
    `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: m, namespace: ns }
spec: { replicas: ${replicas}, leaderWorkerTemplate: { size: ${size}, workerTemplate: ${template} } }
`;
  assert.deepEqual(told(groups(1250, 4)), []);
  assert.deepEqual(told(groups(1251, 4)), ["1251 is more than any cluster has; taken as 1250"]);
  assert.deepEqual(told(groups(1_000_000, 1_000_000)), [
    "1000000 is more than any cluster has; taken as 5000",
    "1000000 is more than any cluster has; taken as 1",
  ]);
});

test("an autoscaler's floor counts too", () => {
  const floor = (min: number): string => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: m, namespace: ns }
spec: { minReplicas: ${min}, maxReplicas: ${min}, scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: m } }
`;
  assert.deepEqual(told(floor(5000)), []);
  assert.equal(told(floor(2_147_483_647)).length, 2);
});
