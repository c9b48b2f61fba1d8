import assert from "node:assert/strict";
import { test } from "node:test";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { kubectlDrainInTurn } from "../../src/maintenance/actors/kubectl-drain-in-turn.ts";
import { endpointsOf } from "../../src/route/build.ts";
import type { EndpointOutcome } from "../../src/search/judge.ts";
import { ApartJudge } from "../../src/search/n-minus-one/apart.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { built } from "../search/built.ts";
import { poolCluster } from "../search/pool-cluster.ts";

/** What a large cluster's endpoints come to when all its nodes are maintained one after the other. */
function verdictsWith(budgets: number): readonly EndpointOutcome["verdict"][] {
  const cluster = built(
    poolCluster(14, {
      nodes: 30,
      endpoints: 8,
      others: 480,
      fill: 0.6,
      free: 1,
      budgets,
      spread: 0,
      alike: true,
      kured: false,
    }),
  );
  const timing = timingOf(cluster, noTiming);
  const watch = { cluster, ...endpointsOf(cluster), timing, states: 1_000_000, horizonMs: 86_400_000 };
  const steps = [maintenanceOf(cluster, kubectlDrainInTurn, cluster.nodes, "any")];
  const judging = new ApartJudge(watch).judge([steps]);
  let next = judging.next();
  while (next.done !== true) next = judging.next();
  return next.value.played.flatMap(({ judgement }) => judgement.endpoints.map(({ verdict }) => verdict));
}

test("a pool too large to be played to its end is proved where budgets hold and there is room", () => {
  assert.deepEqual(new Set(verdictsWith(1)), new Set(["safe"]));
});

test("and nobody is called safe where nothing keeps what an endpoint needs", () => {
  assert.ok(!verdictsWith(0).includes("safe"));
});
