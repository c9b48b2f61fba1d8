import assert from "node:assert/strict";
import { test } from "node:test";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { kubectlDrain } from "../../src/maintenance/actors/kubectl-drain.ts";
import { actors } from "../../src/maintenance/registry.ts";
import type { Cluster } from "../../src/model/cluster.ts";
import { endpointsOf } from "../../src/route/build.ts";
import type { EndpointOutcome, Watch } from "../../src/search/judge.ts";
import { ApartJudge } from "../../src/search/n-minus-one/apart.ts";
import { argue } from "../../src/search/n-minus-one/argue.ts";
import { lossOf } from "../../src/search/n-minus-one/loss.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import type { PlannedStep } from "../../src/sim/program.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { built } from "../search/built.ts";
import { poolCluster } from "../search/pool-cluster.ts";

const large = built(
  poolCluster(14, {
    nodes: 30,
    endpoints: 8,
    others: 480,
    fill: 0.7,
    free: 0.6,
    budgets: 0.4,
    spread: 0.4,
    alike: true,
    kured: false,
  }),
);

test("whoever drains it, a single node's drain is decided, of clusters too large to try all orders too", () => {
  const judge = new ApartJudge(watchOf(large));
  for (const actor of actors.filter(({ kind }) => kind === "maintains" || kind === "removes")) {
    const verdicts = large.nodes.slice(0, 10).flatMap((node) => {
      const steps = judge.judge([[maintenanceOf(large, actor, [node], "any")]]);
      let next = steps.next();
      while (next.done !== true) next = steps.next();
      return next.value.played.flatMap(({ judgement }) => judgement.endpoints.map(({ verdict }) => verdict));
    });
    assert.ok(
      !verdicts.includes("undecided"),
      `${actor.name}: ${verdicts.filter((one) => one === "undecided").length}`,
    );
  }
});

test("an endpoint by itself, which most nodes are nothing to, is judged as beside all others", () => {
  const watch = watchOf(large);
  const variants = large.nodes.flatMap((node): PlannedStep[][] => [
    [maintenanceOf(large, kubectlDrain, [node], "any")],
    [{ do: "fail", node: node.name }],
  ]);
  const outcomesOf = (judge: ApartJudge): readonly EndpointOutcome[] =>
    variants.flatMap((steps) => {
      const judging = judge.judge([steps]);
      let next = judging.next();
      while (next.done !== true) next = judging.next();
      ApartJudge.merge(next.value);
      return next.value.judgement.endpoints;
    });
  const said = ({ endpoint, verdict, minCapacity, downMostMs }: EndpointOutcome): unknown => {
    return [endpoint.name, verdict, minCapacity, downMostMs];
  };
  const all = outcomesOf(new ApartJudge(watch));
  for (const endpoint of watch.endpoints) {
    const judge = new ApartJudge({ ...watch, endpoints: [endpoint], supporting: [] });
    const near = large.nodes.filter(({ name }) => judge.ground.standing.isNear(name)).length;
    assert.ok(near > 0 && near < large.nodes.length, `${endpoint.name}: ${near} nodes are near`);
    assert.deepEqual(outcomesOf(judge).map(said), all.filter((outcome) => outcome.endpoint === endpoint).map(said));
  }
});

test("nothing is said to be held by a budget for longer than a drain may take", () => {
  const held = (drainTimeoutMs: number | null): number => {
    const watch = { ...watchOf(large), timing: timingOf(large, { ...noTiming, drainTimeoutMs }) };
    const { standing, rooms } = new ApartJudge(watch).ground;
    return large.nodes.flatMap((node) => {
      const loss = lossOf(standing, [maintenanceOf(large, kubectlDrain, [node], "any")]);
      assert.ok(loss !== null);
      return watch.endpoints.filter((endpoint) => argue(standing, rooms, loss, endpoint)?.because === "held");
    }).length;
  };
  assert.ok(held(null) > 0);
  assert.equal(held(10_000), 0);
});

function watchOf(cluster: Cluster): Watch {
  const timing = timingOf(cluster, noTiming);
  return { cluster, ...endpointsOf(cluster), timing, states: 1_000_000, horizonMs: 86_400_000 };
}
