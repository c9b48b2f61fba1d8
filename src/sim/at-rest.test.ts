import assert from "node:assert/strict";
import { test } from "node:test";
import { built } from "../../test/search/built.ts";
import { poolCluster } from "../../test/search/pool-cluster.ts";
import { type Ask, unrests } from "../../test/search/restless.ts";
import { noTiming } from "../cli/timing-fields.ts";
import type { Cluster } from "../model/cluster.ts";
import type { WireObject } from "../wire/snapshot.ts";
import { knowRestless, restlessOf } from "./at-rest.ts";
import { oneCourse, Simulation } from "./simulation.ts";
import { timingOf } from "./timing.ts";

const shape = {
  ...{ nodes: 5, endpoints: 1, others: 1, fill: 0.5, free: 1, budgets: 1, spread: 1 },
  ...{ alike: false, kured: false },
};
const ask: Ask = { milliCpu: 100, priority: 0, nodeSelector: {} };

/** What a cluster does by itself. */
function leftAlone(cluster: Cluster): readonly unknown[] {
  const watched = { endpoints: [], supporting: [] };
  const timing = timingOf(cluster, noTiming);
  const sim = new Simulation(cluster, [], watched, { ...oneCourse, span: "most", timing, horizonMs: 86_400_000 });
  sim.runFirst();
  const budgets = sim.ledger.budgets.map(({ budget, status }) => [budget.key, status]);
  return [sim.timeline, sim.ledger.nowMs, budgets];
}

/** The readable twin: everyone looks, whether there is anything to do or not. */
function allLook(cluster: Cluster): Cluster {
  knowRestless(cluster, {
    workloads: [...cluster.workloads.keys()],
    budgets: cluster.budgets.map(({ key }) => ({ key, status: null })),
  });
  return cluster;
}

for (const [name, unrest] of Object.entries(unrests)) {
  test(`${name}: a cluster does the same as when every controller looks at first`, () => {
    for (let seed = 1; seed <= 4; seed += 1) {
      const objects: readonly WireObject[] = [
        ...poolCluster(seed, shape),
        ...unrest(ask, ["node-001", "node-002", "node-003"], "x"),
      ];
      assert.deepEqual(leftAlone(built(objects)), leftAlone(allLook(built(objects))));
    }
  });
}

test("most of a cluster is at rest", () => {
  const cluster = built([
    ...poolCluster(1, shape),
    ...(unrests["a replica is missing"]?.(ask, ["a", "b", "c"], "x") ?? []),
  ]);
  assert.ok(cluster.workloads.size > 4);
  assert.ok(restlessOf(cluster).workloads.length < cluster.workloads.size / 2);
});
