import assert from "node:assert/strict";
import { test } from "node:test";
import { poolCluster, type Shape } from "../../../test/search/pool-cluster.ts";
import { noTiming } from "../../cli/timing-fields.ts";
import { loadText } from "../../load/from-files.ts";
import { kured } from "../../maintenance/actors/kured.ts";
import { buildCluster } from "../../model/build.ts";
import { endpointsOf } from "../../route/build.ts";
import { maintenanceOf } from "../../sim/plan-scenario.ts";
import { timingOf } from "../../sim/timing.ts";
import { judgeTimed, type Question } from "../judge.ts";
import { prove } from "./prove.ts";

const small: Shape = {
  nodes: 5,
  endpoints: 2,
  others: 6,
  fill: 0.5,
  free: 1,
  budgets: 0.8,
  spread: 0.7,
  alike: false,
  kured: true,
};

function question(seed: number, shape: Shape, inPods = ""): Question {
  const text = poolCluster(seed, shape).map((object) =>
    JSON.stringify(object).replaceAll('"containers":', `${inPods}"containers":`),
  );
  const cluster = buildCluster(loadText(text.join("\n"), "generated.ndjson"));
  const { endpoints, supporting } = endpointsOf(cluster);
  return {
    cluster,
    steps: [maintenanceOf(cluster, kured, cluster.nodes, "any")],
    endpoints,
    supporting,
    timing: timingOf(cluster, noTiming),
    states: 150,
    horizonMs: 86_400_000,
    choices: [],
  };
}

test("nothing that is proved breaks or stalls in any course that is played", () => {
  const shapes: readonly (readonly [Shape, number])[] = [
    [small, 40],
    [{ ...small, budgets: 0, spread: 1 }, 15],
  ];
  for (const [shape, seeds] of shapes) {
    let proofs = 0;
    for (let seed = 1; seed <= seeds; seed += 1) {
      const asked = question(seed, shape);
      const proved = prove(asked);
      if (proved.size === 0) continue;
      const judged = judgeTimed(asked, "feasible");
      for (const { endpoint, verdict } of judged.endpoints) {
        if (!proved.has(endpoint)) continue;
        proofs += 1;
        assert.ok(verdict === "safe" || verdict === "undecided", `seed ${seed}: ${endpoint.namespace} is ${verdict}`);
      }
    }
    assert.ok(proofs >= 10, `only ${proofs} proofs to hold against courses`);
  }
});

test("without a budget pods that keep apart are proved, while each serves before the next node's turn", () => {
  const apart = { ...small, budgets: 0, spread: 1 };
  const proved = prove(question(1, apart));
  assert.ok(proved.size > 0);
  for (const { rests } of proved.values()) {
    for (const rest of rests) assert.ok(rest.kind === "time" && rest.atMostMs === kured.nodeDownMs - 1);
    assert.ok(rests.length > 0);
  }
  assert.equal(prove(question(1, { ...apart, spread: 0 })).size, 0);
  const asked = question(1, apart);
  const slow = { leastMs: kured.nodeDownMs, mostMs: kured.nodeDownMs };
  const timing = timingOf(asked.cluster, { ...noTiming, podStart: [{ pattern: "*", span: slow }] });
  assert.equal(prove({ ...asked, timing }).size, 0);
  const short = { leastMs: 10_000, mostMs: kured.nodeDownMs };
  assert.equal(prove({ ...asked, timing: timingOf(asked.cluster, { ...noTiming, nodeDown: short }) }).size, 0);
});

test("a node that is drained alone has no next one's turn to wait for", () => {
  const asked = question(1, { ...small, budgets: 0, spread: 1 });
  const one = { ...asked, steps: [maintenanceOf(asked.cluster, kured, asked.cluster.nodes.slice(0, 1), "any")] };
  const proved = prove(one);
  assert.ok(proved.size > 0);
  for (const { rests } of proved.values()) assert.deepEqual(rests, []);
});

test("a full cluster is not proved: a replacement may find no room", () => {
  assert.equal(prove(question(1, { ...small, others: 40, fill: 0.98 })).size, 0);
});

test("pods that tolerate the cordon are not proved: they may come to a drained node and go down with it", () => {
  const provedTolerating = (key: string): number => {
    const tolerations = JSON.stringify([{ key, operator: "Exists", effect: "NoSchedule" }]);
    return prove(question(1, { ...small, budgets: 1 }, `"tolerations":${tolerations},`)).size;
  };
  assert.ok(provedTolerating("kept") > 0);
  assert.equal(provedTolerating("node.kubernetes.io/unschedulable"), 0);
});
