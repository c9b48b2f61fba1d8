import assert from "node:assert/strict";
import { test } from "node:test";
import { Play } from "../../test/support/play.ts";
import { autoscaler, cluster, deployment, podsOf, replicaSetOf } from "../../test/support/tiny.ts";
import type { Autoscaler } from "../model/policy.ts";

/** Read from pkg/controller/podautoscaler/horizontal.go, v1.36.3. */

/** A Deployment of one, scaled to `replicas` by hand: what the autoscaler makes of it at its next look. */
function scaledTo(replicas: number, fields: Partial<Autoscaler>): readonly string[] {
  const web = deployment("web");
  const set = replicaSetOf(web, "h1");
  const play = new Play(
    cluster({ workloads: [web, set], pods: podsOf(set, 1), autoscalers: [autoscaler(web.key, fields)] }),
  );
  play.ledger.setSpec(web.key, { ...web, replicas });
  play.settle().said();
  play.at(14_999);
  assert.deepEqual(play.said(), []);
  play.at(15_000);
  return play.said().filter((line) => line.startsWith("scale Deployment"));
}

test("autoscaler: above its maximum, the surge is undone at the next look", () => {
  assert.deepEqual(scaledTo(2, {}), ["scale Deployment web to 1: Current number of replicas above Spec.MaxReplicas"]);
});

test("autoscaler: below its minimum, it starts more", () => {
  assert.deepEqual(scaledTo(1, { minReplicas: 2, maxReplicas: 2 }), [
    "scale Deployment web to 2: Current number of replicas below Spec.MinReplicas",
  ]);
});

test("autoscaler: within the bounds and without metrics it leaves the replicas alone", () => {
  assert.deepEqual(scaledTo(2, { maxReplicas: 5, desiredReplicas: 1 }), []);
});

test("autoscaler: with metrics it goes back to what it recommended", () => {
  assert.deepEqual(scaledTo(2, { maxReplicas: 5, desiredReplicas: 1, scalingActive: true }), [
    "scale Deployment web to 1: All metrics below target",
  ]);
  assert.deepEqual(scaledTo(2, { maxReplicas: 5, desiredReplicas: 2, scalingActive: true }), []);
  assert.deepEqual(scaledTo(2, { maxReplicas: 5, desiredReplicas: 1, scalingActive: true, onlyUp: true }), []);
});

test("autoscaler: zero replicas switch it off", () => {
  assert.deepEqual(scaledTo(0, { minReplicas: 1, maxReplicas: 5 }), []);
});

test("autoscaler: it asks to be woken for its next look", () => {
  const web = deployment("web", { replicas: 2 });
  const play = new Play(cluster({ workloads: [web], autoscalers: [autoscaler(web.key)] })).at(31_000);
  assert.ok(play.wakes.some(({ workload, atMs }) => workload === web.key && atMs === 45_000));
});
