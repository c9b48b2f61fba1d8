import assert from "node:assert/strict";
import { test } from "node:test";
import { Play } from "../../test/support/play.ts";
import { cluster, int, labels, percent, pod, quota, statefulSet, template } from "../../test/support/tiny.ts";
import type { Pod } from "../model/pod.ts";
import type { StatefulSet } from "../model/workload.ts";

/** Read from pkg/controller/statefulset/stateful_set_control.go, v1.36.3 and v1.37.2. */

function podsOf(set: StatefulSet, count: number): readonly Pod[] {
  return Array.from({ length: count }, (_, at) => {
    const ordinal = set.ordinalsStart + at;
    return pod(`${set.ref.name}-${ordinal}`, { owner: set.key, ordinal, revision: "r1", template: set.template });
  });
}

function playing(fields: Partial<StatefulSet>, minor: 36 | 37 = 36): Play {
  const set = statefulSet("m", { replicas: 3, ...fields });
  const play = new Play(cluster({ minor, workloads: [set], pods: podsOf(set, set.replicas) })).settle();
  assert.deepEqual(play.said(), []);
  return play;
}

function setOf(play: Play): StatefulSet {
  const spec = play.ledger.workload(statefulSet("m").key)?.spec;
  assert.ok(spec?.kind === "StatefulSet");
  return spec;
}

function change(play: Play, fields: Partial<StatefulSet>): Play {
  play.ledger.setSpec(statefulSet("m").key, { ...setOf(play), ...fields });
  return play.settle();
}

const touched = { template: template("m", { annotations: labels({ touched: "1" }) }) };
const partition = (value: number): StatefulSet["updateStrategy"] => ({
  type: "RollingUpdate",
  partition: value,
  maxUnavailable: null,
});

test("stateful set: the same name comes back only when the old pod is gone", () => {
  const play = playing({}).delete("ns/m-1");
  assert.deepEqual(play.said(), []);
  play.stopAll();
  assert.deepEqual(play.said(), ["create ns/m-1"]);
});

test("stateful set: a new pod has its name, index and revision as labels, and its own claim", () => {
  const claim = { name: "cache", storageClassName: null, requestBytes: 1, accessModes: ["ReadWriteOnce"] };
  const play = playing({ volumeClaimTemplates: [claim], updateRevision: "r1" })
    .delete("ns/m-1")
    .stopAll();
  const made = play.ledger.pod("ns/m-1")?.template;
  assert.deepEqual([...(made?.labels ?? [])].slice(1), [
    ["statefulset.kubernetes.io/pod-name", "m-1"],
    ["apps.kubernetes.io/pod-index", "1"],
    ["controller-revision-hash", "r1"],
  ]);
  assert.deepEqual(
    [made?.hostname, made?.subdomain, made?.volumes],
    ["m-1", "m", [{ kind: "claim", volume: "cache", claimName: "cache-m-1", readOnly: false }]],
  );
});

test("stateful set: OrderedReady waits on a lower ordinal that is not ready", () => {
  const play = playing({});
  play.ledger.setReady("ns/m-0", false);
  play.delete("ns/m-2").stopAll();
  assert.deepEqual(play.said(), []);
  play.ledger.setReady("ns/m-0", true);
  play.settle();
  assert.deepEqual(play.said(), ["create ns/m-2"]);
});

test("stateful set: Parallel does not wait", () => {
  const play = playing({ podManagement: "Parallel" });
  play.ledger.setReady("ns/m-0", false);
  play.delete("ns/m-2").delete("ns/m-1").stopAll();
  assert.deepEqual(play.said(), ["create ns/m-1", "create ns/m-2"]);
});

test("stateful set: OrderedReady starts one after the other, Parallel all at once", () => {
  const start = (podManagement: StatefulSet["podManagement"]): readonly string[] =>
    new Play(cluster({ workloads: [statefulSet("m", { replicas: 3, podManagement })] })).settle().said();
  assert.deepEqual(start("OrderedReady"), ["create ns/m-0"]);
  assert.deepEqual(start("Parallel"), ["create ns/m-0", "create ns/m-1", "create ns/m-2"]);
});

test("stateful set: stuck while its pod cannot finish terminating", () => {
  const play = playing({}).delete("ns/m-0");
  play.at(3_600_000);
  assert.deepEqual([play.said(), play.pods()[0]], [[], "m-0 terminating"]);
});

test("stateful set: a finished pod is deleted and made again", () => {
  const play = playing({});
  play.ledger.setReady("ns/m-1", false);
  play.ledger.setPhase("ns/m-1", "Failed");
  play.settle();
  assert.deepEqual(play.said(), ["delete ns/m-1 by statefulset-controller"]);
  play.stopAll();
  assert.deepEqual(play.said(), ["create ns/m-1"]);
});

test("stateful set: scaled down from the highest ordinal, one at a time", () => {
  const play = change(playing({}), { replicas: 1 });
  assert.deepEqual(
    play.said(),
    ["scale StatefulSet m from 3 to 1", "delete ns/m-2 by statefulset-controller"].slice(1),
  );
  play.stopAll();
  assert.deepEqual(play.said(), ["delete ns/m-1 by statefulset-controller"]);
  assert.deepEqual(change(playing({ podManagement: "Parallel" }), { replicas: 1 }).said(), [
    "delete ns/m-2 by statefulset-controller",
    "delete ns/m-1 by statefulset-controller",
  ]);
});

test("stateful set: the first unavailable pod may go in a scale-down, one above it not", () => {
  const play = playing({});
  play.ledger.setReady("ns/m-1", false);
  play.ledger.setReady("ns/m-2", false);
  change(play, { replicas: 1 });
  assert.deepEqual(play.said(), []);
  play.ledger.setReady("ns/m-1", true);
  play.settle();
  assert.deepEqual(play.said(), ["delete ns/m-2 by statefulset-controller"]);
});

test("stateful set: ordinals start where they are told to", () => {
  const play = playing({ ordinalsStart: 1, podManagement: "Parallel" }).delete("ns/m-3").stopAll();
  assert.deepEqual(play.said(), ["create ns/m-3"]);
});

test("stateful set: a rollout goes down from the highest ordinal, and waits for each to be available", () => {
  const play = change(playing({}), touched);
  assert.deepEqual(play.said(), ["delete ns/m-2 by statefulset-controller"]);
  play.stopAll();
  assert.deepEqual(play.said(), ["create ns/m-2"]);
  assert.equal(play.ledger.pod("ns/m-2")?.revision, "m-~1");
  play.startAll();
  assert.deepEqual(play.said(), ["delete ns/m-1 by statefulset-controller"]);
  play.stopAll().startAll().stopAll().startAll();
  assert.deepEqual(
    [...play.ledger.pods].map(({ revision }) => revision),
    ["m-~1", "m-~1", "m-~1"],
  );
  assert.deepEqual(play.said().slice(-1), ["create ns/m-0"]);
});

test("stateful set: the partition keeps lower ordinals, and a lost one comes back as it was", () => {
  const play = change(playing({ updateStrategy: partition(2) }), touched)
    .stopAll()
    .startAll();
  assert.deepEqual(play.said(), ["delete ns/m-2 by statefulset-controller", "create ns/m-2"]);
  play.delete("ns/m-0").stopAll();
  assert.deepEqual([play.said(), play.ledger.pod("ns/m-0")?.revision], [["create ns/m-0"], "r1"]);
  assert.equal(play.ledger.pod("ns/m-0")?.template.annotations.has("touched"), false);
});

/** m-0 and m-1 are still of r1, and the partition keeps them so; m-2 is of r2 already. */
function underWay(fields: Partial<StatefulSet> = {}): Play {
  const set = statefulSet("m", {
    ...{ replicas: 3, podManagement: "Parallel", updateStrategy: partition(2) },
    ...{ currentRevision: "r1", updateRevision: "r2", ...touched, ...fields },
  });
  const pods = podsOf(set, 3).map((each, at) =>
    at === 2 ? { ...each, revision: "r2" } : { ...each, template: template("m") },
  );
  return new Play(cluster({ workloads: [set], pods })).settle();
}

test("stateful set: nobody tells what the old revision was where none of its pods was left", () => {
  const play = underWay({ currentRevision: "r0" }).delete("ns/m-0").stopAll();
  const what = "what StatefulSet ns/m was before its rollout";
  assert.equal(play.said().filter((line) => line.includes(what)).length, 1);
  assert.deepEqual(told(play), ["m-0 r0 new", "m-1 r1", "m-2 r2 new"]);
  const known = underWay().delete("ns/m-0").delete("ns/m-1").stopAll();
  assert.equal(
    known.said().some((line) => line.includes(what)),
    false,
  );
});

function told(play: Play): readonly string[] {
  return [...play.ledger.pods]
    .map(({ name, revision, template: { annotations } }) => `${name} ${revision}${annotations.size > 0 ? " new" : ""}`)
    .toSorted();
}

// newVersionedStatefulSetPod in stateful_set_utils.go, v1.36.3.
test("stateful set: in a rollout that was under way what is below the partition comes back of the old revision", () => {
  const apart = underWay().delete("ns/m-0").stopAll().delete("ns/m-2").stopAll();
  assert.deepEqual(told(apart), ["m-0 r1", "m-1 r1", "m-2 r2 new"]);
  const atOnce = underWay().delete("ns/m-0").delete("ns/m-1").delete("ns/m-2").stopAll();
  assert.deepEqual(told(atOnce), ["m-0 r1", "m-1 r1", "m-2 r2 new"], "nobody of the old one is left");
  const above = underWay({ updateStrategy: partition(1) });
  assert.deepEqual(above.said(), ["delete ns/m-1 by statefulset-controller"]);
  assert.deepEqual(told(above.stopAll()), ["m-0 r1", "m-1 r2 new", "m-2 r2 new"]);
  const onDelete = underWay({ updateStrategy: { type: "OnDelete" } })
    .delete("ns/m-0")
    .stopAll();
  assert.deepEqual(told(onDelete), ["m-0 r2 new", "m-1 r1", "m-2 r2 new"]);
});

test("stateful set: the old template again takes the rollout back", () => {
  const play = change(playing({}), touched).stopAll().startAll();
  assert.equal(play.ledger.pod("ns/m-2")?.revision, "m-~1");
  change(play, { template: template("m") });
  play.stopAll().startAll().stopAll().startAll();
  assert.deepEqual([...play.ledger.pods].map(({ name, revision }) => `${name} ${revision}`).toSorted(), [
    "m-0 r1",
    "m-1 r1",
    "m-2 r1",
  ]);
});

test("stateful set: OnDelete deletes nothing and makes new pods by the new template", () => {
  const play = change(playing({ updateStrategy: { type: "OnDelete" } }), touched);
  assert.deepEqual(play.said(), []);
  play.delete("ns/m-0").stopAll();
  assert.equal(play.ledger.pod("ns/m-0")?.revision, "m-~1");
});

test("stateful set: maxUnavailable counts from 1.37 on", () => {
  const updateStrategy = { type: "RollingUpdate", partition: 0, maxUnavailable: int(2) } as const;
  assert.deepEqual(change(playing({ updateStrategy }, 36), touched).said(), [
    "delete ns/m-2 by statefulset-controller",
  ]);
  assert.deepEqual(change(playing({ updateStrategy }, 37), touched).said(), [
    "delete ns/m-2 by statefulset-controller",
    "delete ns/m-1 by statefulset-controller",
  ]);
  const third = { type: "RollingUpdate", partition: 0, maxUnavailable: percent(10) } as const;
  assert.deepEqual(change(playing({ updateStrategy: third }, 37), touched).said(), [
    "delete ns/m-2 by statefulset-controller",
  ]);
});

test("stateful set: from 1.37 a Parallel rollout first clears old pods that are down anyway", () => {
  const play = playing({ podManagement: "Parallel" }, 37);
  play.ledger.setReady("ns/m-0", false);
  assert.deepEqual(change(play, touched).said(), ["delete ns/m-0 by statefulset-controller"]);
});

test("stateful set: minReadySeconds holds the next step back, and wakes for it", () => {
  const play = change(playing({ minReadyMs: 20_000 }), touched)
    .stopAll()
    .startAll();
  assert.deepEqual(play.said(), ["delete ns/m-2 by statefulset-controller", "create ns/m-2"]);
  assert.equal(play.wakes.at(-1)?.atMs, 20_000);
  play.at(20_000);
  assert.deepEqual(play.said(), ["delete ns/m-1 by statefulset-controller"]);
});

test("stateful set: a pod the quota refuses is reported and tried again", () => {
  const set = statefulSet("m", { replicas: 2, podManagement: "Parallel" });
  const play = new Play(cluster({ workloads: [set], quotas: [quota("few", { pods: 1 })] })).settle();
  assert.deepEqual(play.said(), [
    "create ns/m-0",
    'pod-rejected StatefulSet m: Create Pod m-1 in StatefulSet m failed error: pods "m-1" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1',
  ]);
  assert.equal(play.wakes.at(-1)?.atMs, 5);
  play.ledger.setQuotas([]);
  play.at(5);
  assert.deepEqual(play.said(), ["create ns/m-1"]);
});
