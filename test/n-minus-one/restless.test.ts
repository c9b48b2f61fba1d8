import assert from "node:assert/strict";
import { test } from "node:test";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { kubectlDrain } from "../../src/maintenance/actors/kubectl-drain.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { argue } from "../../src/search/n-minus-one/argue.ts";
import { groundOf } from "../../src/search/n-minus-one/ground.ts";
import { lossOf } from "../../src/search/n-minus-one/loss.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import type { WireObject } from "../../src/wire/snapshot.ts";
import { built } from "../search/built.ts";
import { poolCluster } from "../search/pool-cluster.ts";
import { type Ask, atRest, type Places, unrests } from "../search/restless.ts";
import { cluster, node, podsOf, replicaSet, template } from "../support/tiny.ts";

/** Ten nodes of 12 and more cores, with little on them. */
const settled = poolCluster(3, {
  nodes: 10,
  endpoints: 1,
  others: 0,
  fill: 0.5,
  free: 1,
  budgets: 1,
  spread: 1,
  alike: false,
  kured: false,
});
const places: Places = ["node-001", "node-002", "node-003"];
const whole = { milliCpu: 12_000, nodeSelector: { "one-0": "yes" } };
const small: Ask = { milliCpu: 100, priority: 0, nodeSelector: {} };

for (const [name, unrest] of Object.entries(unrests)) {
  test(`${name}: single drains are argued about as if all were at rest`, () => {
    assert.deepEqual(arguedOf([...settled, ...unrest(small, places, "x")]), arguedOf(settled));
  });
}

const rows: readonly (readonly [string, keyof typeof unrests, Partial<Ask>, boolean])[] = [
  ["one that waits takes a place of which there are more", "a pod waits", { milliCpu: 11_950 }, true],
  ["no node is large enough for a stronger one", "no node is large enough for a pod", { priority: 9 }, true],
  ["a stronger one is still to come, and finds room", "a replica is missing", { priority: 9 }, true],
  ["or may find none", "a replica is missing", { milliCpu: 26_000, priority: 9 }, false],
  // All of a node that has another strong one: a drain makes room, and who comes there may be driven out.
  ["a stronger one waits where others may come", "a pod waits", { ...whole, priority: 9 }, false],
  ["a weaker one does", "a pod waits", whole, true],
];

for (const [name, unrest, ask, expected] of rows) {
  test(name, () => {
    const make = unrests[unrest];
    assert.ok(make !== undefined);
    const beside = atRest("y", { ...small, priority: 9 }, ["node-000"]);
    const argued = arguedOf([...settled, ...beside, ...make({ ...small, ...ask }, places, "x")]);
    assert.equal(
      argued.every((because) => because !== null),
      expected,
      argued.join(),
    );
  });
}

test("nothing is still where a pod tolerates its node's taint for a time", () => {
  const taint = { key: "flaky", value: "", effect: "NoExecute" } as const;
  const isStill = (tolerationMs: number | null, tainted: boolean): boolean => {
    const tolerations = [{ key: "flaky", operator: "Exists", value: "", effect: "", tolerationMs } as const];
    const owner = replicaSet("web", { replicas: 1, template: template("web", { tolerations }) });
    const nodes = [node("n1", { taints: tainted ? [taint] : [] }), node("n2")];
    const of = cluster({ nodes, workloads: [owner], pods: podsOf(owner, 1) });
    const asked = { cluster: of, endpoints: [], supporting: [], timing: timingOf(of, noTiming) };
    return groundOf({ ...asked, states: 100, horizonMs: 86_400_000 }).standing.isStill;
  };
  assert.deepEqual([isStill(300_000, true), isStill(null, true), isStill(300_000, false)], [false, true, true]);
});

/** Why the endpoint stands in the drain of each node; null: that is not argued. */
function arguedOf(objects: readonly WireObject[]): readonly (string | null)[] {
  const read = built(objects);
  const { endpoints, supporting } = endpointsOf(read);
  const timing = timingOf(read, noTiming);
  const { standing, rooms } = groundOf({
    cluster: read,
    endpoints,
    supporting,
    timing,
    states: 100,
    horizonMs: 86_400_000,
  });
  const [endpoint] = endpoints;
  assert.ok(endpoint !== undefined);
  return read.nodes.map((drained) => {
    const loss = lossOf(standing, [maintenanceOf(read, kubectlDrain, [drained], "any")]);
    assert.ok(loss !== null);
    return argue(standing, rooms, loss, endpoint)?.because ?? null;
  });
}
