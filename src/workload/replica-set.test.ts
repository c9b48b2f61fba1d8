import assert from "node:assert/strict";
import { test } from "node:test";
import { Play } from "../../test/support/play.ts";
import {
  cluster,
  deployment,
  pod,
  podsOf,
  replicaSet,
  replicaSetOf,
  service,
  webhook,
} from "../../test/support/tiny.ts";

import { replicaSet as replicaSetController } from "./replica-set.ts";

/** Read from pkg/controller/replicaset/replica_set.go, v1.36.3. */

test("replica set: a terminating pod is replaced at once", () => {
  const web = replicaSet("web", { replicas: 2 });
  const play = new Play(cluster({ workloads: [web], pods: podsOf(web, 2) })).settle();
  assert.deepEqual(play.said(), []);
  play.delete("ns/web-a");
  assert.deepEqual(play.said(), ["create ns/web-~1"]);
  assert.deepEqual(play.pods(), ["web-a terminating", "web-b ready", "web-~1 pending"]);
  play.stopAll();
  assert.deepEqual(play.said(), []);
});

test("replica set: finished pods do not count and stay", () => {
  const web = replicaSet("web");
  const play = new Play(
    cluster({ workloads: [web], pods: podsOf(web, 1, { phase: "Failed", ready: false }) }),
  ).settle();
  assert.deepEqual(play.pods(), ["web-a failed", "web-~1 pending"]);
});

test("replica set: scaled down, the pod doubled up with a sibling ReplicaSet's goes", () => {
  const web = deployment("web", { replicas: 3, paused: true });
  const [old, current] = [replicaSetOf(web, "h1", { replicas: 1 }), replicaSetOf(web, "h2", { replicas: 1 })];
  const pods = [
    pod("a", { owner: current.key, nodeName: "n2" }),
    pod("b", { owner: current.key, nodeName: "n1" }),
    pod("c", { owner: old.key, nodeName: "n1" }),
  ];
  const play = new Play(cluster({ workloads: [web, old, current], pods }), [replicaSetController]).settle();
  assert.equal(play.said()[0], "delete ns/b by replicaset-controller");
});

test("replica set: one that is being deleted does nothing", () => {
  const web = replicaSet("web", { replicas: 2 });
  const play = new Play(cluster({ workloads: [web] }));
  play.ledger.markWorkloadDeleting(web.key, false);
  assert.deepEqual(play.settle().said(), []);
});

test("replica set: a terminating namespace takes no pods, and nobody says so", () => {
  const web = replicaSet("web");
  const namespaces = new Map([["ns", { name: "ns", labels: new Map<string, string>(), terminating: true }]]);
  assert.deepEqual(new Play(cluster({ workloads: [web], namespaces })).settle().said(), []);
});

test("replica set: refused pods are reported once and tried again, each time later", () => {
  const web = replicaSet("web");
  const play = new Play(
    cluster({ workloads: [web], services: [service("hook")], webhooks: [webhook("hook")] }),
  ).settle();
  const refusal =
    'pod-rejected ReplicaSet web: Error creating: Internal error occurred: failed calling webhook "hook.example.com": ' +
    'failed to call webhook: Post "https://hook.ns.svc:443": no endpoints available for service "hook"';
  assert.deepEqual(play.said(), [refusal]);
  assert.deepEqual(
    play.wakes.map(({ atMs }) => atMs),
    [5],
  );
  play.at(4);
  assert.equal(play.wakes.length, 1);
  play.at(5).at(15);
  assert.deepEqual(
    play.wakes.map(({ atMs }) => atMs),
    [5, 15, 35],
  );
  assert.deepEqual(play.said(), []);
  play.ledger.setWebhooks([]);
  play.at(35);
  assert.deepEqual(play.said(), ["create ns/web-~1"]);
  assert.equal(play.ledger.workload(web.key)?.memory, null);
});

test("replica set: a change of its own pods is a reason to try before the time", () => {
  const web = replicaSet("web", { replicas: 2 });
  const play = new Play(
    cluster({ workloads: [web], pods: podsOf(web, 1), services: [service("hook")], webhooks: [webhook("hook")] }),
  ).settle();
  play.ledger.setWebhooks([]);
  play.settle();
  assert.equal(play.pods().length, 1);
  play.delete("ns/web-a");
  assert.equal(play.pods().length, 3);
});
