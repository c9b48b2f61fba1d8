import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../test/support/rows.ts";
import {
  budget,
  cluster,
  daemonSet,
  deployment,
  int,
  job,
  otherOwner,
  type Parts,
  percent,
  pod,
  podsOf,
  replicaSet,
  replicaSetOf,
  selects,
  statefulSet,
  status,
  template,
} from "../../test/support/tiny.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { afterEviction, budgetSync, disruptionTimeoutMs } from "./budget-status.ts";

/** Arithmetic read from pkg/controller/disruption/disruption.go, v1.36.3; percentages of 2.2 "Numbers" are rounded up. */

function counts(parts: Parts): readonly (number | string)[] {
  const ledger = new Ledger(cluster(parts), new Journal());
  const [view] = ledger.budgets;
  assert.ok(view);
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed, reason, message } = budgetSync(
    ledger,
    view,
  ).status;
  return [expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed, reason, message];
}

const web4 = deployment("web", { replicas: 4 });
const set4 = replicaSetOf(web4, "h");
const four = { workloads: [web4, set4], pods: podsOf(set4, 4) };
const noScale = (owner: string): string => `${owner} does not implement the scale subresource`;

rows<Parts, readonly (number | string)[]>("budget status", counts, [
  [
    "maxUnavailable 30% of 4: 2 may be down",
    { ...four, budgets: [budget("b", { maxUnavailable: percent(30) })] },
    [4, 2, 4, 2, "SufficientPods", ""],
  ],
  [
    "minAvailable 70% of 4: 1 may be down",
    { ...four, budgets: [budget("b", { minAvailable: percent(70) })] },
    [4, 3, 4, 1, "SufficientPods", ""],
  ],
  [
    "minAvailable as a number counts the pods",
    { ...four, pods: podsOf(set4, 3), budgets: [budget("b", { minAvailable: int(3) })] },
    [3, 3, 3, 0, "InsufficientPods", ""],
  ],
  [
    "maxUnavailable counts what the Deployment wants",
    { ...four, pods: podsOf(set4, 3), budgets: [budget("b", { maxUnavailable: int(1) })] },
    [4, 3, 3, 0, "InsufficientPods", ""],
  ],
  [
    "more unavailable than there are",
    { ...four, budgets: [budget("b", { maxUnavailable: int(9) })] },
    [4, 0, 4, 4, "SufficientPods", ""],
  ],
  [
    "no pods: nothing is allowed",
    { budgets: [budget("b", { maxUnavailable: int(1) })] },
    [0, 0, 0, 0, "InsufficientPods", ""],
  ],
  [
    "a terminating pod is not healthy and still expected",
    {
      ...four,
      pods: [...podsOf(set4, 3), pod("x", { owner: set4.key, deleting: true })],
      budgets: [budget("b", { minAvailable: int(2) })],
    },
    [4, 2, 3, 1, "SufficientPods", ""],
  ],
  [
    "a ReplicaSet without a Deployment",
    {
      workloads: [replicaSet("web", { replicas: 2 })],
      pods: podsOf(replicaSet("web"), 2),
      budgets: [budget("b", { maxUnavailable: int(1) })],
    },
    [2, 1, 2, 1, "SufficientPods", ""],
  ],
  [
    "distinct owners are summed",
    {
      workloads: [statefulSet("a", { replicas: 2 }), statefulSet("b", { replicas: 3 })],
      pods: ["a", "b"].map((name) => pod(`${name}-0`, { owner: statefulSet(name).key })),
      budgets: [budget("b", { maxUnavailable: int(1) })],
    },
    [5, 4, 2, 0, "InsufficientPods", ""],
  ],
  [
    "bare pods are healthy and not expected",
    { ...four, pods: [...podsOf(set4, 4), pod("bare")], budgets: [budget("b", { maxUnavailable: int(0) })] },
    [4, 4, 5, 1, "SufficientPods", ""],
  ],
  [
    "only bare pods and a percentage: never",
    { pods: [pod("bare")], budgets: [budget("b", { minAvailable: percent(50) })] },
    [0, 0, 1, 0, "InsufficientPods", ""],
  ],
  [
    "an owner without scale fails the budget",
    {
      workloads: [daemonSet("web")],
      pods: [pod("x", { owner: daemonSet("web").key })],
      budgets: [budget("b", { maxUnavailable: int(1) })],
    },
    [0, 0, 0, 0, "SyncFailed", noScale("daemonsets.apps")],
  ],
  [
    "so does a Job",
    {
      workloads: [job("web")],
      pods: [pod("x", { owner: job("web").key })],
      budgets: [budget("b", { maxUnavailable: int(1) })],
    },
    [0, 0, 0, 0, "SyncFailed", noScale("jobs.batch")],
  ],
  [
    "and a custom resource",
    {
      workloads: [otherOwner("ray.io/v1", "RayCluster", "web")],
      pods: [pod("x", { owner: otherOwner("ray.io/v1", "RayCluster", "web").key })],
      budgets: [budget("b", { maxUnavailable: int(1) })],
    },
    [0, 0, 0, 0, "SyncFailed", noScale("rayclusters.ray.io")],
  ],
  [
    "not with a number of pods that must stay",
    {
      workloads: [daemonSet("web")],
      pods: [pod("x", { owner: daemonSet("web").key })],
      budgets: [budget("b", { minAvailable: int(0) })],
    },
    [1, 0, 1, 1, "SufficientPods", ""],
  ],
  [
    "a custom resource with a scale",
    {
      workloads: [otherOwner("x.io/v1", "Thing", "web", { scaleReplicas: 3 })],
      pods: [pod("x", { owner: otherOwner("x.io/v1", "Thing", "web").key })],
      budgets: [budget("b", { maxUnavailable: int(1) })],
    },
    [3, 2, 1, 0, "InsufficientPods", ""],
  ],
  [
    "an owner that was not read: the count last written stands",
    {
      workloads: [otherOwner("apps/v1", "ReplicaSet", "web", { present: false })],
      pods: [pod("x", { owner: replicaSet("web").key })],
      budgets: [budget("b", { maxUnavailable: int(1), status: status({ expectedPods: 2 }) })],
    },
    [2, 1, 1, 0, "InsufficientPods", ""],
  ],
  [
    "an owner that was not read and nothing written",
    {
      workloads: [otherOwner("apps/v1", "ReplicaSet", "web", { present: false })],
      pods: [pod("x", { owner: replicaSet("web").key })],
      budgets: [budget("b", { maxUnavailable: int(1) })],
    },
    [0, 0, 0, 0, "SyncFailed", 'found no controllers for pod "x"'],
  ],
  [
    "neither field: nothing is expected",
    { pods: [pod("x")], budgets: [budget("b")] },
    [0, 0, 1, 0, "InsufficientPods", ""],
  ],
]);

test("an owner deleted while its pods terminate fails the budget and keeps its counts", () => {
  const owner = statefulSet("web", { replicas: 2 });
  const pods = [0, 1].map((ordinal) => pod(`web-${ordinal}`, { owner: owner.key, ordinal }));
  const b = budget("b", {
    maxUnavailable: int(1),
    status: status({ expectedPods: 2, desiredHealthy: 1, currentHealthy: 2, disruptionsAllowed: 1 }),
  });
  const ledger = new Ledger(cluster({ workloads: [owner], pods, budgets: [b] }), new Journal());
  ledger.removeWorkload(owner.key);
  const [view] = ledger.budgets;
  assert.ok(view);
  assert.deepEqual(budgetSync(ledger, view).status, {
    expectedPods: 2,
    desiredHealthy: 1,
    currentHealthy: 2,
    disruptionsAllowed: 0,
    observedGeneration: 1,
    reason: "SyncFailed",
    conditionStatus: "False",
    message: 'found no controllers for pod "web-0"',
  });
});

test("a budget that never synced stays unseen when its first sync fails", () => {
  const owner = otherOwner("ray.io/v1", "RayCluster", "web");
  const parts = {
    workloads: [owner],
    pods: [pod("x", { owner: owner.key })],
    budgets: [budget("b", { maxUnavailable: int(1) })],
  };
  const ledger = new Ledger(cluster(parts), new Journal());
  const [view] = ledger.budgets;
  assert.ok(view);
  assert.equal(budgetSync(ledger, view).status.observedGeneration, 0);
});

test("an accepted eviction is believed for two minutes", () => {
  const b = budget("b", { minAvailable: int(0) });
  const ledger = new Ledger(cluster({ pods: [pod("x", { template: template("web") })], budgets: [b] }), new Journal());
  ledger.setDisruptedPods(
    b.key,
    new Map([
      ["ns/x", 0],
      ["ns/gone", 0],
    ]),
  );
  const at = (nowMs: number): ReturnType<typeof budgetSync> => {
    ledger.setTime(nowMs);
    const [view] = ledger.budgets;
    assert.ok(view);
    return budgetSync(ledger, view);
  };
  const before = at(disruptionTimeoutMs - 1);
  assert.deepEqual(
    [before.status.currentHealthy, [...before.disruptedPods.keys()], before.recheckAtMs],
    [0, ["ns/x"], disruptionTimeoutMs],
  );
  const after = at(disruptionTimeoutMs);
  assert.deepEqual([after.status.currentHealthy, after.disruptedPods.size, after.recheckAtMs], [1, 0, null]);
});

test("the last allowed disruption turns the condition", () => {
  const two = status({ disruptionsAllowed: 2, reason: "SufficientPods", conditionStatus: "True" });
  const one = afterEviction(two);
  assert.deepEqual([one.disruptionsAllowed, one.reason], [1, "SufficientPods"]);
  assert.deepEqual(afterEviction(one), {
    ...one,
    disruptionsAllowed: 0,
    reason: "InsufficientPods",
    conditionStatus: "False",
  });
});

test("an invalid selector fails the sync", () => {
  const b = budget("b", { selector: { ...selects({ app: "web" }), invalid: true }, maxUnavailable: int(1) });
  const ledger = new Ledger(cluster({ budgets: [b] }), new Journal());
  const [view] = ledger.budgets;
  assert.ok(view);
  assert.equal(budgetSync(ledger, view).status.reason, "SyncFailed");
});
