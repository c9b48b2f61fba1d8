import assert from "node:assert/strict";
import { test } from "node:test";
import { found, type World } from "../../../test/support/findings.ts";
import { group, object, pod, service, type Thing } from "../../../test/support/serving.ts";
import { groupBudget } from "./group-budget.ts";

const setLabel = "leaderworkerset.sigs.k8s.io/name";
const indexLabel = "leaderworkerset.sigs.k8s.io/group-index";
const workerLabel = "leaderworkerset.sigs.k8s.io/worker-index";

/** Two groups of two, as the LeaderWorkerSet controller makes them. */
function groups(): readonly Thing[] {
  const owner = (apiVersion: string, kind: string, name: string): Thing => ({ apiVersion, kind, name });
  const labels = (index: string, worker: string): Thing => ({
    [setLabel]: "big",
    [indexLabel]: index,
    [workerLabel]: worker,
  });
  const statefulSet = (name: string, replicas: number, matchLabels: Thing, of: Thing): Thing =>
    object(
      "apps/v1",
      "StatefulSet",
      name,
      {
        replicas,
        selector: { matchLabels },
        template: { metadata: { labels: matchLabels }, spec: { containers: [{ name: "main", image: "app:1" }] } },
      },
      { owner: of },
    );
  const one = (index: string): readonly Thing[] => [
    pod(`big-${index}`, {
      labels: labels(index, "0"),
      owner: owner("apps/v1", "StatefulSet", "big"),
      spec: { nodeName: "g1" },
    }),
    statefulSet(`big-${index}`, 1, { [setLabel]: "big", [indexLabel]: index }, owner("v1", "Pod", `big-${index}`)),
    pod(`big-${index}-1`, {
      labels: labels(index, "1"),
      owner: owner("apps/v1", "StatefulSet", `big-${index}`),
      spec: { nodeName: "g2" },
    }),
  ];
  return [
    group("big", { size: 2, replicas: 2, gpus: 1 }),
    statefulSet(
      "big",
      2,
      { [setLabel]: "big", [workerLabel]: "0" },
      owner("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "big"),
    ),
    ...one("0"),
    ...one("1"),
    service("big", { [setLabel]: "big", [workerLabel]: "0" }),
  ];
}

function withBudget(spec: Thing): readonly string[] {
  const budget = object("policy/v1", "PodDisruptionBudget", "b", spec);
  return found((world: World) => world.more.push(...groups(), budget));
}

const select = (labels: Thing): Thing => ({ selector: { matchLabels: labels } });

test("one budget over the set with maxUnavailable 1 is right", () => {
  assert.deepEqual(withBudget({ maxUnavailable: 1, ...select({ [setLabel]: "big" }) }), []);
});

test("one that allows two evictions may lose both groups", () => {
  assert.deepEqual(withBudget({ minAvailable: 2, ...select({ [setLabel]: "big" }) }), [
    "group-budget/countsPods warning big",
  ]);
  assert.deepEqual(withBudget({ maxUnavailable: "50%", ...select({ [setLabel]: "big" }) }), [
    "group-budget/countsPods warning big",
  ]);
});

test("one per group", () => {
  assert.deepEqual(withBudget({ minAvailable: 1, ...select({ [setLabel]: "big", [indexLabel]: "0" }) }), [
    "group-budget/perGroup warning big",
  ]);
});

test("one over the leaders", () => {
  assert.deepEqual(withBudget({ maxUnavailable: 1, ...select({ [setLabel]: "big", [workerLabel]: "0" }) }), [
    "group-budget/leadersOnly warning big",
  ]);
});

test("without any", () => {
  assert.deepEqual(
    found((world) => world.more.push(...groups())),
    ["no-budget/unguarded note big"],
  );
});

test("its messages are all seen above", () => {
  assert.deepEqual(Object.keys(groupBudget.messages), ["countsPods", "perGroup", "leadersOnly"]);
});
