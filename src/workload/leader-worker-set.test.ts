import assert from "node:assert/strict";
import { test } from "node:test";
import { Play } from "../../test/support/play.ts";
import {
  budget,
  cluster,
  int,
  labels,
  leaderWorkerSet,
  node,
  type Parts,
  selects,
  template,
} from "../../test/support/tiny.ts";
import { evict } from "../eviction/evict.ts";
import type { LeaderWorkerSet } from "../model/workload.ts";

/** Orders measured on kubernetes-sigs/lws v0.10 with a 1.36.3 control plane; rollout arithmetic read from its source. */

const setName = "leaderworkerset.sigs.k8s.io/name";
const whole = budget("whole", { selector: selects({ [setName]: "m" }), maxUnavailable: int(1) });

/** Two groups of three, all Ready. */
function playing(fields: Partial<LeaderWorkerSet> = {}, parts: Parts = {}): Play {
  const play = new Play(cluster({ ...parts, workloads: [leaderWorkerSet("m", { size: 3, ...fields })] })).settle();
  for (let round = 0; round < 4; round++) play.startAll();
  play.said();
  return play;
}

function setOf(play: Play): LeaderWorkerSet {
  const spec = play.ledger.workload(leaderWorkerSet("m").key)?.spec;
  assert.ok(spec?.kind === "LeaderWorkerSet");
  return spec;
}

function change(play: Play, fields: Partial<LeaderWorkerSet>): Play {
  play.ledger.setSpec(leaderWorkerSet("m").key, { ...setOf(play), ...fields });
  return play.settle();
}

function touch(play: Play): Play {
  const touched = template("m", { annotations: labels({ touched: "1" }) });
  return change(play, { leaderTemplate: touched, workerTemplate: touched });
}

const restarted = [
  "delete ns/m-0 by lws-controller, foreground",
  "delete StatefulSet m-0 by garbage-collector, foreground",
  "delete ns/m-0-1 by garbage-collector",
];

test("group set: it makes leaders, and each leader's workers, with the labels their webhook adds", () => {
  const play = new Play(cluster({ workloads: [leaderWorkerSet("m", { size: 3 })] })).settle();
  assert.deepEqual(play.said(), [
    "create StatefulSet m of 2",
    "create ns/m-0",
    "create ns/m-1",
    "create StatefulSet m-0 of 2",
    "create StatefulSet m-1 of 2",
    "create ns/m-0-1",
    "create ns/m-0-2",
    "create ns/m-1-1",
    "create ns/m-1-2",
  ]);
  const marks = ["name", "group-index", "group-key", "worker-index", "template-revision-hash"];
  const of = (name: string): readonly unknown[] =>
    marks.map((mark) => play.ledger.pod(name)?.template.labels.get(`leaderworkerset.sigs.k8s.io/${mark}`));
  const key = "cf39e752a4ba24985cc70780451ba9d17bc5ef8e";
  assert.deepEqual(of("ns/m-0"), ["m", "0", key, "0", "~1"]);
  assert.deepEqual(of("ns/m-0-2"), ["m", "0", key, "2", "~1"]);
});

test("group set: at rest it does nothing, also when it was read from a cluster", () => {
  const made = playing();
  assert.deepEqual(made.settle().said(), []);
  const workloads = [...made.ledger.workloads].map(({ spec }) => spec);
  assert.deepEqual(
    new Play(cluster({ workloads: workloads.filter(({ kind }) => kind !== "StatefulSet") })).settle().said()[0],
    "create StatefulSet m of 2",
  );
  const pods = [...made.ledger.pods].map((view) => ({
    ...view,
    nodeName: "n1",
    deleting: false,
    deletionGraceMs: null,
    nominatedNodeName: "",
    requests: view.requests,
    createdAtMs: null,
    scheduledAtMs: null,
    readyAtMs: null,
    finalizers: [],
    claimNames: new Map<string, string>(),
    source: { file: "test", line: null },
  }));
  const again = new Play(cluster({ workloads, pods })).settle();
  assert.deepEqual(again.said(), []);
  again.delete("ns/m-0-2");
  assert.deepEqual(again.said(), restarted);
});

test("group set: an evicted worker takes its group along; all come back when all are gone", () => {
  const play = playing().delete("ns/m-0-2");
  assert.deepEqual(play.said(), restarted);
  play.stopAll();
  assert.deepEqual(play.said(), ["delete StatefulSet m-0 by garbage-collector"]);
  play.stopAll();
  assert.deepEqual(play.said(), ["create ns/m-0", "create StatefulSet m-0 of 2", "create ns/m-0-1", "create ns/m-0-2"]);
  assert.deepEqual(play.startAll().settle().said(), []);
});

test("group set: an evicted leader: its grace, then its workers' grace; the new leader starts beside them", () => {
  for (const restartPolicy of ["RecreateGroupOnPodRestart", "RecreateGroupAfterStart", "None"] as const) {
    const play = playing({ restartPolicy }).delete("ns/m-0");
    assert.deepEqual(play.said(), []);
    play.stopAll();
    assert.deepEqual(play.said(), [
      "delete StatefulSet m-0 by garbage-collector",
      "delete ns/m-0-1 by garbage-collector",
      "delete ns/m-0-2 by garbage-collector",
      "create ns/m-0",
      "create StatefulSet m-0 of 2",
    ]);
    play.startAll().stopAll();
    assert.deepEqual(play.said(), ["create ns/m-0-1", "create ns/m-0-2"]);
  }
});

test("group set: with policy None only the evicted worker comes back", () => {
  const play = playing({ restartPolicy: "None" }).delete("ns/m-0-2").stopAll();
  assert.deepEqual(play.said(), ["create ns/m-0-2"]);
});

test("group set: AfterStart restarts a started group, not one that still waits", () => {
  const policy = { restartPolicy: "RecreateGroupAfterStart" } as const;
  assert.deepEqual(playing(policy).delete("ns/m-0-2").said(), restarted);
  const waiting = playing(policy);
  waiting.ledger.setReady("ns/m-0-1", false);
  waiting.ledger.setPhase("ns/m-0-1", "Pending");
  assert.deepEqual(waiting.delete("ns/m-0-2").said(), []);
});

test("group set: a group that waits for a place is restarted again by the next lost worker", () => {
  const play = playing().delete("ns/m-0-2").stopAll().stopAll();
  play.start("ns/m-0").start("ns/m-0-1");
  play.said();
  assert.deepEqual(play.delete("ns/m-0-1").said(), [
    "delete ns/m-0 by lws-controller, foreground",
    "delete StatefulSet m-0 by garbage-collector, foreground",
    "delete ns/m-0-2 by garbage-collector",
  ]);
});

test("group set: budgets are not asked by a restart; one over the whole set holds the other group", () => {
  const play = playing({}, { budgets: [whole] });
  assert.equal(evict(play.ledger, "ns/m-0-2").code, 201);
  play.delete("ns/m-0-2");
  const answer = evict(play.ledger, "ns/m-1-2");
  assert.deepEqual(
    [answer.code, answer.cause],
    [429, "The disruption budget whole needs 5 healthy pods and has 3 currently"],
  );
});

test("group set: while the workers' StatefulSet is away, less is expected", () => {
  const play = playing({}, { budgets: [whole] })
    .delete("ns/m-0-2")
    .stopAll();
  const [counted] = play.ledger.budgets;
  assert.deepEqual([counted?.status.expectedPods, counted?.status.desiredHealthy], [4, 3]);
});

test("group set: after a leader's eviction its old workers fail the budget for as long as they live", () => {
  const play = playing({}, { budgets: [whole] });
  play.ledger.setTime(1000);
  play.delete("ns/m-0").stopAll();
  const status = (): readonly unknown[] =>
    play.ledger.budgets.map(({ status: { reason, message, disruptionsAllowed } }) => [
      reason,
      message,
      disruptionsAllowed,
    ]);
  assert.deepEqual(status(), [["SyncFailed", 'found no controllers for pod "m-0-1"', 0]]);
  play.stopAll();
  assert.deepEqual(status(), [["InsufficientPods", "", 0]]);
});

test("group set: a Ready leader whose workers cannot be made yet lets another group go past the budget", () => {
  // Seen on a control plane of 1.36.3 with LeaderWorkerSet v0.9: expected 3 of 4, healthy 3, allowed 1.
  const play = playing({}, { budgets: [whole] }).at(1000);
  play.delete("ns/m-0").stopAll().startAll();
  play.said();
  play.at(1005).stopAll();
  assert.deepEqual(play.said(), []);
  const [counted] = play.ledger.budgets;
  assert.deepEqual([counted?.status.expectedPods, counted?.status.disruptionsAllowed], [4, 1]);
  assert.equal(evict(play.ledger, "ns/m-1-2").code, 201);
  assert.deepEqual(play.at(1015).said(), ["create ns/m-0-1", "create ns/m-0-2"]);
});

test("group set: a budget of one unavailable for each group never allows anything", () => {
  const group = budget("group", {
    selector: selects({ [setName]: "m", "leaderworkerset.sigs.k8s.io/group-index": "0" }),
    maxUnavailable: int(1),
  });
  const play = playing({}, { budgets: [group] });
  const { status } = play.ledger.budgets[0] ?? {};
  assert.deepEqual(
    [status?.expectedPods, status?.desiredHealthy, status?.currentHealthy, status?.disruptionsAllowed],
    [4, 3, 3, 0],
  );
});

/** Plays a rollout step by step: what stops is gone, what is new is Ready. Says which leaders went, in order. */
function leadersGoing(play: Play): readonly string[] {
  const going: string[] = [];
  for (let round = 0; round < 12; round++) {
    play.stopAll().startAll();
    going.push(...play.said().filter((line) => /^(delete ns\/m-\d by|create ns\/m-\d$)/.test(line)));
  }
  return going;
}

test("group set: maxUnavailable 1, no surge: leaders go one by one from the highest, each group whole before the next", () => {
  const play = touch(playing());
  assert.deepEqual(
    play.said().filter((line) => line.startsWith("delete")),
    ["delete ns/m-1 by statefulset-controller"],
  );
  assert.deepEqual(leadersGoing(play), ["create ns/m-1", "delete ns/m-0 by statefulset-controller", "create ns/m-0"]);
  assert.deepEqual(
    [...play.ledger.pods].filter(({ template: { annotations } }) => !annotations.has("touched")),
    [],
  );
});

test("group set: with a surge group that one comes first, and is given back before the last group is whole", () => {
  const rollout = { maxUnavailable: int(1), maxSurge: int(1), partition: 0 };
  const play = touch(playing({ rollout }));
  assert.deepEqual(play.said().slice(0, 2), ["scale StatefulSet m from 2 to 3", "create ns/m-2"]);
  assert.deepEqual(leadersGoing(play), [
    "delete ns/m-1 by statefulset-controller",
    "create ns/m-1",
    "delete ns/m-0 by statefulset-controller",
    "create ns/m-0",
    "delete ns/m-2 by statefulset-controller",
  ]);
  assert.equal(play.ledger.workload("StatefulSet.apps/ns/m-2"), undefined);
});

test("group set: maxUnavailable 0 with a surge group gives it back when all others are whole", () => {
  const rollout = { maxUnavailable: int(0), maxSurge: int(1), partition: 0 };
  const play = touch(playing({ rollout }));
  play.said();
  const going: string[] = [];
  for (let round = 0; round < 12 && play.ledger.workload("StatefulSet.apps/ns/m-2") !== undefined; round++) {
    const ready = [...play.ledger.pods].filter((pod) => pod.ready && pod.terminatingSinceMs === null).length;
    assert.ok(ready >= 6, `two whole groups of three: ${ready}`);
    play.startAll().stopAll();
    going.push(...play.said().filter((line) => /^(delete ns\/m-\d by|create ns\/m-\d$)/.test(line)));
  }
  assert.deepEqual(going, [
    "delete ns/m-1 by statefulset-controller",
    "create ns/m-1",
    "delete ns/m-0 by statefulset-controller",
    "create ns/m-0",
    "delete ns/m-2 by statefulset-controller",
  ]);
});

test("group set: a group below the partition that is lost comes back as it was", () => {
  const play = playing({ rollout: { maxUnavailable: int(1), maxSurge: int(0), partition: 1 } });
  touch(play);
  leadersGoing(play);
  play.delete("ns/m-0-1").stopAll().stopAll();
  assert.equal(play.ledger.pod("ns/m-0-1")?.template.annotations.has("touched"), false);
  assert.equal(play.ledger.pod("ns/m-1-1")?.template.annotations.has("touched"), true);
});

test("group set: scaled, groups come and go", () => {
  const play = change(playing(), { replicas: 3 });
  assert.deepEqual(play.said().slice(0, 2), ["scale StatefulSet m from 2 to 3", "create ns/m-2"]);
  change(play.startAll().startAll(), { replicas: 1 });
  assert.deepEqual(
    play.said().filter((line) => /^(scale|delete)/.test(line)),
    [
      "scale StatefulSet m from 3 to 1",
      "delete ns/m-2 by statefulset-controller",
      "delete ns/m-1 by statefulset-controller",
    ],
  );
});

test("group set: LeaderReady makes workers when their leader is Ready", () => {
  const play = new Play(
    cluster({ workloads: [leaderWorkerSet("m", { replicas: 1, startupPolicy: "LeaderReady" })] }),
  ).settle();
  assert.deepEqual(play.said(), ["create StatefulSet m of 1", "create ns/m-0"]);
  play.startAll();
  assert.deepEqual(play.said(), ["create StatefulSet m-0 of 1", "create ns/m-0-1"]);
});

test("group set: a group of one has no workers", () => {
  const play = new Play(cluster({ workloads: [leaderWorkerSet("m", { replicas: 1, size: 1 })] })).settle().startAll();
  assert.deepEqual(play.said(), ["create StatefulSet m of 1", "create ns/m-0"]);
  assert.deepEqual(touch(play).said().slice(0, 1), ["delete ns/m-0 by statefulset-controller"]);
});

test("group set: exclusive topology binds the workers to their leader's domain and keeps other groups out", () => {
  const nodes = [node("n1", { labels: labels({ rack: "r1" }) })];
  const play = new Play(
    cluster({ nodes, workloads: [leaderWorkerSet("m", { replicas: 1, exclusiveTopologyKey: "rack" })] }),
  ).settle();
  assert.deepEqual(play.said(), ["create StatefulSet m of 1", "create ns/m-0"]);
  const leader = play.ledger.pod("ns/m-0")?.template;
  assert.deepEqual(
    [leader?.requiredPodAffinity[0]?.topologyKey, leader?.requiredPodAntiAffinity[0]?.topologyKey],
    ["rack", "rack"],
  );
  play.startAll();
  assert.deepEqual([...(play.ledger.pod("ns/m-0-1")?.template.nodeSelector ?? [])], [["rack", "r1"]]);
});
