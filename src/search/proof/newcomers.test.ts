import assert from "node:assert/strict";
import { test } from "node:test";
import { node, statefulSet } from "../../../scripts/recordings/objects.ts";
import { built } from "../../../test/search/built.ts";
import { kuredQuestion, settledPool } from "../../../test/search/kured-pool.ts";
import { poolCluster } from "../../../test/search/pool-cluster.ts";
import { type Ask, atRest, type Places, unrests } from "../../../test/search/restless.ts";
import { cluster, labels, pod, statefulSet as setOf, template } from "../../../test/support/tiny.ts";
import { seededRandom } from "../../base/random.ts";
import { noTiming } from "../../cli/timing-fields.ts";
import { timingOf } from "../../sim/timing.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import { judgeTimed, type Question } from "../judge.ts";
import { proveParts } from "../part/prove-parts.ts";
import { prove } from "./prove.ts";
import { standingOf } from "./standing.ts";

const places: Places = ["node-001", "node-002", "node-003"];
const small: Ask = { milliCpu: 100, priority: 0, nodeSelector: {} };

/** How many may come beside those that are there. */
const coming: Readonly<Record<string, number>> = {
  "a replica is missing": 1,
  "a pod waits": 0,
  "no node takes a pod": 0,
  "no node is large enough for a pod": 0,
  "a pod is not Ready": 0,
  // All of the new template, its surge, and the same of the old one.
  "a rollout is half done": 6,
  // As many as it may have, not as many as it wants now.
  "an autoscaler wants more": 3,
  "a job has more to make": 1,
  "a job runs": 0,
  "a job may go on": 2,
  "a pod is told to stop": 0,
  "a pod stays told to stop": 0,
  "a pod has no owner": 0,
};

test("each kind of unrest is told of here", () => {
  assert.deepEqual(Object.keys(coming), Object.keys(unrests));
});

for (const [name, unrest] of Object.entries(unrests)) {
  test(`${name}: what may come is counted, and takes no proof where there is room for it`, () => {
    const asked = kuredQuestion([...settledPool, ...unrest(small, places, "x")]);
    const { newcomers } = standingOf(asked.cluster, asked.timing);
    assert.equal(newcomers?.pods.length, coming[name]);
    assert.deepEqual(proofsOf(asked), { byBudgets: true, byParts: true });
    assert.equal(verdictOf(asked), "safe");
  });
}

test("a set makes the pods of the names it lacks beside those whose names it no longer wants", () => {
  const countOf = (replicas: number): number | undefined => {
    const set = statefulSet("o", "n0 n0 n0", { replicas }).filter(({ metadata: { name } }) => name !== "o-1");
    const cluster = built(JSON.parse(JSON.stringify([node("n0"), ...set])));
    return standingOf(cluster, timingOf(cluster, noTiming)).newcomers?.pods.length;
  };
  assert.deepEqual([1, 2, 3, 4].map(countOf), [0, 1, 1, 2]);
});

const ofItsOwn = { kept: "yes" };
/** A node for those that are named so, with one of them on it: no pod of the endpoint may go there. */
const beside: readonly WireObject[] = [
  ...settledPool,
  {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "kept", labels: { "kubernetes.io/hostname": "kept", "node-pool": "main", ...ofItsOwn } },
    spec: { taints: [{ key: "kept", value: "yes", effect: "NoSchedule" }] },
    status: {
      capacity: { cpu: "16", memory: "64Gi", pods: "110" },
      allocatable: { cpu: "16", memory: "64Gi", pods: "110" },
      conditions: [{ type: "Ready", status: "True" }],
      nodeInfo: { kubeletVersion: "v1.36.3" },
    },
  },
  ...atRest("y", { milliCpu: 15_000, priority: 0, nodeSelector: ofItsOwn }, ["kept"]),
];

interface Row {
  readonly unrest: string;
  readonly ask: Partial<Ask>;
  readonly objects?: readonly WireObject[];
}

/** Of the five nodes two or three have no pod of a part: one that fills a node takes a place that is needed, or does not. */
const rows: Readonly<Record<string, Row & { readonly expected: "safe" | "hurt" }>> = {
  "one takes a place that is not needed": { unrest: "a pod waits", ask: { milliCpu: 15_950 }, expected: "safe" },
  "one more takes the last place": { unrest: "a replica is missing", ask: { milliCpu: 15_950 }, expected: "hurt" },
  "the pod of a rollout takes it": {
    unrest: "a rollout is half done",
    ask: { milliCpu: 15_950, priority: 9 },
    expected: "hurt",
  },
  "an autoscaler's does": {
    unrest: "an autoscaler wants more",
    ask: { milliCpu: 15_950, priority: 9 },
    expected: "hurt",
  },
  "a job's pods drive others out": { unrest: "a job runs", ask: { milliCpu: 15_950, priority: 9 }, expected: "hurt" },
  "one that waits does": { unrest: "a pod waits", ask: { milliCpu: 15_950, priority: 9 }, expected: "hurt" },
  "one that no node is large enough for does not": {
    unrest: "a pod waits",
    ask: { milliCpu: 16_500, priority: 9 },
    expected: "safe",
  },
  "one drives others out where none of the endpoint may be": {
    unrest: "a pod waits",
    ask: { milliCpu: 15_000, priority: 9, nodeSelector: ofItsOwn },
    objects: beside,
    expected: "safe",
  },
};

for (const [name, { unrest, ask, objects = settledPool, expected }] of Object.entries(rows)) {
  test(name, () => {
    const make = unrests[unrest];
    assert.ok(make !== undefined);
    const where: Places = objects === beside ? ["kept", "kept", "kept"] : ["node-004", "node-003", "node-002"];
    const asked = kuredQuestion([...objects, ...make({ ...small, ...ask }, where, "x")]);
    const isProved = expected === "safe";
    assert.deepEqual(proofsOf(asked), { byBudgets: isProved, byParts: isProved });
    assert.equal(verdictOf(asked), expected);
  });
}

test("what is proved holds wherever those stand that may come", () => {
  let [held, full] = [0, 0];
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = seededRandom(seed);
    const shape = { nodes: 5, endpoints: 1, others: 4, fill: 0.6, free: 1, budgets: 1, spread: random.pick([0, 1]) };
    const objects = poolCluster(seed, { ...shape, alike: true, kured: true });
    const ask = { ...small, milliCpu: random.pick([500, 3_000, 6_000, 8_000]) };
    const unrest = unrests["an autoscaler wants more"];
    assert.ok(unrest !== undefined);
    const asked = kuredQuestion([...objects, ...unrest(ask, places, "x")]);
    const proved = prove(asked);
    if (proved.size === 0) {
      full += 1;
      continue;
    }
    const { view, newcomers } = standingOf(asked.cluster, asked.timing);
    const left = new Map(
      view.nodes.map(({ name, node, requested }) => [name, node.allocatable.milliCpu - requested.milliCpu]),
    );
    const stand = [places[0]];
    for (const { requests } of newcomers?.pods ?? []) {
      const [node] = [...left].filter(([, free]) => free >= requests.milliCpu).sort(() => random.next() - 0.5);
      if (node === undefined) break;
      left.set(node[0], node[1] - requests.milliCpu);
      stand.push(node[0]);
    }
    held += 1;
    const there = kuredQuestion([...objects, ...atRest("x", ask, stand)]);
    const verdict = judgeTimed(there, "feasible").endpoints[0]?.verdict;
    assert.ok(verdict === "safe" || verdict === "undecided", `seed ${seed}: ${verdict}`);
  }
  assert.ok(held >= 10 && full >= 6, `${held} held, ${full} without a proof`);
});

function proofsOf(asked: Question): { readonly byBudgets: boolean; readonly byParts: boolean } {
  const [endpoint] = asked.endpoints;
  assert.ok(endpoint !== undefined);
  const byParts = proveParts(asked, [endpoint]).proved.get(endpoint)?.neverStalls ?? false;
  return { byBudgets: prove(asked).has(endpoint), byParts };
}

/** By courses, of which not all are played. */
function verdictOf(asked: Question): "safe" | "hurt" {
  const verdict = judgeTimed(asked, "feasible").endpoints[0]?.verdict;
  return verdict === "unsafe" || verdict === "stalls" ? "hurt" : "safe";
}

test("a pod that a set lacks may come as it was before a rollout that a partition holds up, or of the new template", () => {
  const now = template("m", { annotations: labels({ touched: "1" }) });
  const lacking = (partition: number): readonly boolean[] | undefined => {
    const set = setOf("m", {
      ...{ replicas: 3, template: now, currentRevision: "r1", updateRevision: "r2" },
      updateStrategy: { type: "RollingUpdate", partition, maxUnavailable: null },
    });
    const there = [1, 2].map((ordinal) =>
      pod(`m-${ordinal}`, {
        ...{ owner: set.key, ordinal, revision: ordinal < 2 ? "r1" : "r2" },
        template: ordinal < 2 ? template("m") : now,
      }),
    );
    const of = cluster({ workloads: [set], pods: there });
    const { newcomers } = standingOf(of, timingOf(of, noTiming));
    return newcomers?.pods.map((each) => each.template.annotations.has("touched")).toSorted();
  };
  assert.deepEqual(lacking(2), [false, true]);
  assert.deepEqual(lacking(0), [true]);
});
