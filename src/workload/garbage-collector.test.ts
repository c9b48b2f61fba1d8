import assert from "node:assert/strict";
import { test } from "node:test";
import { Play } from "../../test/support/play.ts";
import { cluster, deployment, pod, podsOf, replicaSetOf, statefulSet } from "../../test/support/tiny.ts";

/** Read from pkg/controller/garbagecollector/garbagecollector.go, v1.36.3. */

test("garbage: a deleted Deployment takes its ReplicaSet and pods along", () => {
  const web = deployment("web");
  const set = replicaSetOf(web, "h1");
  const play = new Play(cluster({ workloads: [web, set], pods: podsOf(set, 1) })).settle();
  play.apply({ do: "deleteWorkload", workload: web.key, by: "user", propagation: "background" });
  play.settle();
  assert.deepEqual(play.said(), [
    "delete Deployment web by user",
    "delete ReplicaSet web-h1 by garbage-collector",
    "delete ns/web-h1-a by garbage-collector",
  ]);
});

test("garbage: in the foreground the owner goes last", () => {
  const web = deployment("web");
  const set = replicaSetOf(web, "h1");
  const play = new Play(cluster({ workloads: [web, set], pods: podsOf(set, 1) })).settle();
  play.apply({ do: "deleteWorkload", workload: web.key, by: "user", propagation: "foreground" });
  play.settle();
  assert.deepEqual(play.said(), [
    "delete Deployment web by user, foreground",
    "delete ReplicaSet web-h1 by garbage-collector, foreground",
    "delete ns/web-h1-a by garbage-collector",
  ]);
  play.stopAll();
  assert.deepEqual(play.said(), [
    "delete ReplicaSet web-h1 by garbage-collector",
    "delete Deployment web by garbage-collector",
  ]);
});

test("garbage: a pod deleted in the foreground is held until what it owns is gone", () => {
  const workers = statefulSet("m-0", { owner: "Pod./ns/m-0", ordinalsStart: 1 });
  const pods = [pod("m-0"), pod("m-0-1", { owner: workers.key, ordinal: 1, revision: "r1" })];
  const play = new Play(cluster({ workloads: [workers], pods })).settle();
  play.apply({ do: "deletePod", pod: "ns/m-0", by: "lws-controller", graceMs: null, foreground: true, reason: "" });
  play.settle();
  assert.deepEqual(play.said(), [
    "delete ns/m-0 by lws-controller, foreground",
    "delete StatefulSet m-0 by garbage-collector, foreground",
    "delete ns/m-0-1 by garbage-collector",
  ]);
  assert.deepEqual(play.pods(), ["m-0 terminating", "m-0-1 terminating"]);
  play.stopAll();
  assert.deepEqual(play.pods(), ["m-0 terminating"]);
  play.stopAll();
  assert.deepEqual(play.pods(), []);
});

test("garbage: what is owned by an object that was never read stays", () => {
  const play = new Play(cluster({ pods: [pod("a", { owner: "ReplicaSet.apps/ns/gone" })] })).settle();
  assert.deepEqual(play.pods(), ["a ready"]);
});
