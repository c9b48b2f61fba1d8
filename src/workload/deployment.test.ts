import assert from "node:assert/strict";
import { test } from "node:test";
import { Play } from "../../test/support/play.ts";
import { rows } from "../../test/support/rows.ts";
import {
  cluster,
  deployment,
  int,
  labels,
  node,
  percent,
  podsOf,
  replicaSetOf,
  service,
  template,
  webhook,
} from "../../test/support/tiny.ts";
import type { Deployment } from "../model/workload.ts";
import { rolloutRoom } from "./deployment-sizes.ts";

/** Read from pkg/controller/deployment (rolling.go, recreate.go, sync.go, progress.go, util), v1.36.3. */

const rolling = (maxSurge: number, maxUnavailable: number): Deployment["strategy"] => ({
  type: "RollingUpdate",
  maxSurge: int(maxSurge),
  maxUnavailable: int(maxUnavailable),
});

/** A finished Deployment `web` whose template then changes. */
function changed(fields: Partial<Deployment>): Play {
  const web = deployment("web", { replicas: 2, ...fields });
  const set = replicaSetOf(web, "h1");
  const play = new Play(cluster({ workloads: [web, set], pods: podsOf(set, web.replicas) })).settle();
  assert.deepEqual(play.said(), []);
  play.ledger.setSpec(web.key, { ...web, template: template("web", { annotations: labels({ touched: "1" }) }) });
  return play.settle();
}

rows<Partial<Deployment>, readonly [number, number]>(
  "rollout room",
  (fields) => {
    const { maxSurge, maxUnavailable } = rolloutRoom(deployment("web", fields));
    return [maxSurge, maxUnavailable];
  },
  [
    ["25% of 2: surge rounds up, unavailable down", { replicas: 2 }, [1, 0]],
    ["25% of 4", { replicas: 4 }, [1, 1]],
    ["25% of 10", { replicas: 10 }, [3, 2]],
    [
      "both come out 0: one may be unavailable",
      { replicas: 2, strategy: { type: "RollingUpdate", maxSurge: int(0), maxUnavailable: percent(25) } },
      [0, 1],
    ],
    ["never more unavailable than there are", { replicas: 1, strategy: rolling(0, 5) }, [0, 1]],
    ["nothing at 0 replicas", { replicas: 0, strategy: rolling(1, 1) }, [1, 0]],
    ["Recreate has none", { replicas: 4, strategy: { type: "Recreate" } }, [0, 0]],
  ],
);

test("deployment: at rest it does nothing, whatever its pods do", () => {
  const web = deployment("web", { replicas: 2 });
  const set = replicaSetOf(web, "h1");
  const play = new Play(cluster({ workloads: [web, set], pods: podsOf(set, 2) })).settle();
  play.ledger.setReady("ns/web-h1-a", false);
  play.settle();
  assert.deepEqual([play.said(), play.wakes], [[], []]);
});

test("deployment: surge 1, unavailable 0 replaces one pod at a time", () => {
  const play = changed({});
  assert.deepEqual(play.said(), ["create ReplicaSet web-~1 of 1", "create ns/web-~1-~1"]);
  play.startAll("n3");
  assert.deepEqual(play.said(), [
    "scale ReplicaSet web-h1 from 2 to 1",
    "delete ns/web-h1-a by replicaset-controller",
    "scale ReplicaSet web-~1 from 1 to 2",
    "create ns/web-~1-~2",
  ]);
  play.startAll("n3");
  assert.deepEqual(play.said(), ["scale ReplicaSet web-h1 from 1 to 0", "delete ns/web-h1-b by replicaset-controller"]);
  const [, , current] = [...play.ledger.workloads];
  assert.equal(current?.spec.kind === "ReplicaSet" && current.spec.template.labels.get("pod-template-hash"), "~1");
});

test("deployment: surge 0, unavailable 1 first takes one away", () => {
  const play = changed({ strategy: rolling(0, 1) });
  assert.deepEqual(play.said(), [
    "create ReplicaSet web-~1 of 0",
    "scale ReplicaSet web-h1 from 2 to 1",
    "delete ns/web-h1-a by replicaset-controller",
    "scale ReplicaSet web-~1 from 0 to 1",
    "create ns/web-~1-~1",
  ]);
});

test("deployment: unready old pods go first and free the rollout", () => {
  const web = deployment("web", { replicas: 4, strategy: rolling(0, 1) });
  const set = replicaSetOf(web, "h1");
  const [a, b, c, d] = podsOf(set, 4);
  assert.ok(a && b && c && d);
  const nodes = ["n1", "n2", "n3", "n4"].map((name) => node(name));
  const play = new Play(cluster({ nodes, workloads: [web, set], pods: [{ ...a, ready: false }, b, c, d] })).settle();
  play.ledger.setSpec(web.key, { ...web, template: template("web", { annotations: labels({ touched: "1" }) }) });
  play.settle();
  assert.deepEqual(
    play.said().filter((line) => line.startsWith("delete")),
    ["delete ns/web-h1-a by replicaset-controller"],
  );
});

test("deployment: Recreate waits until every old pod is gone", () => {
  const play = changed({ strategy: { type: "Recreate" } });
  assert.deepEqual(play.said(), [
    "scale ReplicaSet web-h1 from 2 to 0",
    "delete ns/web-h1-a by replicaset-controller",
    "delete ns/web-h1-b by replicaset-controller",
  ]);
  play.stopAll();
  assert.deepEqual(play.said(), ["create ReplicaSet web-~1 of 2", "create ns/web-~1-~1", "create ns/web-~1-~2"]);
});

test("deployment: replicas and template in one patch make a pod of the old template first", () => {
  const web = deployment("web", { replicas: 1 });
  const set = replicaSetOf(web, "h1");
  const play = new Play(cluster({ workloads: [web, set], pods: podsOf(set, 1) })).settle();
  play.ledger.setSpec(web.key, {
    ...web,
    replicas: 2,
    template: template("web", { annotations: labels({ touched: "1" }) }),
  });
  play.settle();
  assert.deepEqual(play.said(), [
    "scale ReplicaSet web-h1 from 1 to 2",
    "create ns/web-h1-~1",
    "create ReplicaSet web-~1 of 1",
    "create ns/web-~1-~1",
  ]);
  assert.equal(play.wakes.at(-1)?.atMs, 601_000);
});

test("deployment: scaled in mid-rollout, the sets grow in proportion, leftovers to the largest", () => {
  const web = deployment("web", { replicas: 10, strategy: rolling(3, 2) });
  const sizes = labels({
    "deployment.kubernetes.io/desired-replicas": "10",
    "deployment.kubernetes.io/max-replicas": "13",
  });
  const old = replicaSetOf(web, "h1", { replicas: 8, annotations: sizes, template: template("web", { priority: 1 }) });
  const current = replicaSetOf(web, "h2", { replicas: 5, annotations: sizes, revision: 2 });
  const pods = [...podsOf(old, 8), ...podsOf(current, 5, { ready: false })];
  const play = new Play(cluster({ workloads: [web, old, current], pods })).settle();
  play.said();
  play.ledger.setSpec(web.key, { ...web, replicas: 15 });
  play.settle();
  assert.deepEqual(
    play.said().filter((line) => line.startsWith("scale")),
    ["scale ReplicaSet web-h1 from 8 to 11", "scale ReplicaSet web-h2 from 5 to 7"],
  );
});

test("deployment: paused, it scales and does not roll", () => {
  const play = changed({ paused: true });
  assert.deepEqual(play.said(), []);
  const web = play.ledger.workload(deployment("web").key)?.spec;
  assert.ok(web?.kind === "Deployment");
  play.ledger.setSpec(web.key, { ...web, replicas: 3 });
  play.settle();
  assert.deepEqual(play.said(), ["scale ReplicaSet web-h1 from 2 to 3", "create ns/web-h1-~1"]);
});

test("deployment: a template that comes back takes its old ReplicaSet again", () => {
  const web = deployment("web", { replicas: 1 });
  const old = replicaSetOf(web, "h1", { replicas: 0 });
  const current = replicaSetOf({ ...web, template: template("web", { priority: 5 }) }, "h2", { revision: 2 });
  const play = new Play(cluster({ workloads: [web, old, current], pods: podsOf(current, 1) })).settle();
  assert.deepEqual(play.said(), ["scale ReplicaSet web-h1 from 0 to 1", "create ns/web-h1-~1"]);
  const spec = play.ledger.workload(old.key)?.spec;
  assert.equal(spec?.kind === "ReplicaSet" && spec.revision, 3);
});

test("deployment: no progress for the deadline is reported once; a pod that gets ready is progress", () => {
  const play = changed({ progressDeadlineMs: 10_000 });
  play.said();
  assert.equal(play.wakes.at(-1)?.atMs, 11_000);
  play.at(10_999);
  assert.deepEqual(play.said(), []);
  play.at(11_000);
  assert.deepEqual(play.said(), ['rollout-stalled Deployment web: ReplicaSet "web-~1" has timed out progressing.']);
  play.at(50_000);
  assert.deepEqual(play.said(), []);
  play.startAll();
  assert.equal(play.wakes.at(-1)?.atMs, 61_000);
});

test("deployment: a Recreate rollout is watched too", () => {
  const play = changed({ strategy: { type: "Recreate" }, progressDeadlineMs: 10_000 }).stopAll();
  play.said();
  play.at(11_000);
  assert.deepEqual(play.said(), ['rollout-stalled Deployment web: ReplicaSet "web-~1" has timed out progressing.']);
});

test("deployment: minReadySeconds holds a ready pod back from counting", () => {
  const play = changed({ minReadyMs: 20_000 });
  play.said();
  play.startAll();
  assert.deepEqual(play.said(), []);
  assert.ok(play.wakes.some(({ atMs }) => atMs === 20_000));
  play.at(20_000);
  assert.equal(play.said()[0], "scale ReplicaSet web-h1 from 2 to 1");
});

test("deployment: old ReplicaSets beyond the history limit go when the rollout is complete", () => {
  const web = deployment("web", { replicas: 1, revisionHistoryLimit: 1 });
  const olds = [1, 2].map((revision) =>
    replicaSetOf({ ...web, template: template("web", { priority: revision }) }, `o${revision}`, {
      replicas: 0,
      revision,
    }),
  );
  const current = replicaSetOf(web, "h3", { revision: 3 });
  const play = new Play(cluster({ workloads: [web, ...olds, current], pods: podsOf(current, 1) })).settle();
  assert.deepEqual(play.said(), ["delete ReplicaSet web-o1 by deployment-controller"]);
});

test("deployment: without any ReplicaSet it makes one with all its pods", () => {
  const web = deployment("web", { replicas: 2 });
  const play = new Play(cluster({ workloads: [web] })).settle();
  assert.deepEqual(play.said(), ["create ReplicaSet web-~1 of 2", "create ns/web-~1-~1", "create ns/web-~1-~2"]);
});

test("deployment: a new ReplicaSet that a dead webhook refuses is reported and tried again", () => {
  const web = deployment("web");
  const hook = webhook("hook", { onPodCreate: false, onWorkloadCreate: true });
  const play = new Play(cluster({ workloads: [web], services: [service("hook")], webhooks: [hook] })).settle();
  assert.deepEqual(play.said(), [
    'pod-rejected Deployment web: Failed to create new replica set "web-~1": Internal error occurred: failed calling webhook "hook.example.com": ' +
      'failed to call webhook: Post "https://hook.ns.svc:443": no endpoints available for service "hook"',
  ]);
  play.ledger.setWebhooks([]);
  assert.deepEqual(play.at(5).said(), ["create ReplicaSet web-~1 of 1", "create ns/web-~1-~1"]);
});

test("deployment: a webhook that cannot be told apart is said, and the pods are made", () => {
  const web = deployment("web");
  const play = new Play(
    cluster({
      workloads: [web],
      services: [service("hook")],
      webhooks: [webhook("hook", { hasMatchConditions: true })],
    }),
  ).settle();
  assert.equal(
    play.said().filter((line) => line.includes("whether its matchConditions apply is not modelled")).length,
    1,
  );
  assert.equal(play.pods().length, 1);
});
