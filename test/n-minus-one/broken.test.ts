import assert from "node:assert/strict";
import { test } from "node:test";
import { budget, deployment, type Item, nodes, pod, service } from "../../scripts/recordings/objects.ts";
import { defaultLimits } from "../../src/cli/scenario-file.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import type { Actor } from "../../src/maintenance/actor.ts";
import { kubectlDrain } from "../../src/maintenance/actors/kubectl-drain.ts";
import { kubectlDrainInTurn } from "../../src/maintenance/actors/kubectl-drain-in-turn.ts";
import { buildCluster } from "../../src/model/build.ts";
import type { Cluster } from "../../src/model/cluster.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { newJudgement, note } from "../../src/search/judge.ts";
import { broken } from "../../src/search/n-minus-one/broken.ts";
import { groundOf } from "../../src/search/n-minus-one/ground.ts";
import { lossOf } from "../../src/search/n-minus-one/loss.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { built } from "../search/built.ts";
import { poolCluster, type Shape } from "../search/pool-cluster.ts";
import { madeUpSnapshot } from "../support/n-minus-one.ts";

const roomy: Shape = {
  nodes: 12,
  endpoints: 6,
  others: 16,
  fill: 0.5,
  free: 0.7,
  budgets: 0.5,
  spread: 0.3,
  alike: false,
  kured: false,
};

test("how a failure of one node breaks an endpoint is argued as it is played", () => {
  const counts = { unsafe: 0, stalls: 0, never: 0, late: 0, held: 0, stuck: 0 };
  compare("made up", buildCluster(madeUpSnapshot({ nodes: 300, pods: 9_000, seed: 7 })), null, counts);
  assert.ok(counts.unsafe >= 40 && counts.never >= 5, JSON.stringify(counts));
});

test("how a drain of one node breaks an endpoint, or is held up, is argued as it is played", () => {
  const counts = { unsafe: 0, stalls: 0, never: 0, late: 0, held: 0, stuck: 0 };
  for (const actor of [kubectlDrain, kubectlDrainInTurn]) {
    for (let seed = 1; seed <= 6; seed += 1) compare(`pools ${seed}`, built(poolCluster(seed, roomy)), actor, counts);
    compare("small", buildCluster(madeUpSnapshot({ nodes: 60, pods: 1_800, seed: 12 })), actor, counts);
    compare("made up", buildCluster(madeUpSnapshot({ nodes: 300, pods: 9_000, seed: 12 })), actor, counts);
  }
  assert.ok(counts.held >= 2 && counts.stuck >= 20, JSON.stringify(counts));
  assert.ok(counts.unsafe >= 40 && counts.stalls >= 20 && counts.never > 0 && counts.late > 0, JSON.stringify(counts));
});

test("whether a pod without a place ever finds one is not said while another is about to leave", () => {
  const leaving = pod("old", "g2", { gpu: 1 });
  const metadata = { ...leaving.metadata, deletionTimestamp: "2026-10-21T12:00:30Z", deletionGracePeriodSeconds: 30 };
  const objects = [
    ...nodes("g1 g2", { gpu: 1 }),
    ...deployment("m1", "g1", { gpu: 1 }),
    service("m1"),
    { ...leaving, metadata },
  ];
  const counts = { unsafe: 0, stalls: 0, never: 0, late: 0, held: 0, stuck: 0 };
  compare("with one that leaves", built(JSON.parse(JSON.stringify(objects))), kubectlDrain, counts);
  assert.equal(counts.unsafe, 0);
  const stays = JSON.parse(JSON.stringify([...objects.slice(0, -1), leaving]));
  compare("with one that stays", built(stays), kubectlDrain, counts);
  assert.equal(counts.never, 1);
});

test("nor while one that leaves takes others from elsewhere with it", () => {
  const driver = deployment("driver", "g1", { gpu: 0 });
  const above = driver.find(({ kind }) => kind === "Pod")?.metadata;
  const owner = { apiVersion: "v1", kind: "Pod", name: above?.name ?? "", uid: String(above?.["uid"]) };
  const budgeted = [...deployment("m2", "g3 g3 g4", { gpu: 1 }), service("m2"), budget("m2", { max: 1 })];
  const rest = [
    ...nodes("g1 g2 g4", { gpu: 1 }),
    ...nodes("g3", { gpu: 2 }),
    ...driver,
    ...deployment("m1", "g1", { gpu: 1 }),
    service("m1"),
    ...budgeted,
  ];
  const countsOf = (executor: Item): Counts => {
    const counts = { unsafe: 0, stalls: 0, never: 0, late: 0, held: 0, stuck: 0 };
    compare("full", built(JSON.parse(JSON.stringify([...rest, executor]))), kubectlDrain, counts);
    return counts;
  };
  const [apart, under] = [
    countsOf(pod("executor", "g2", { gpu: 1 })),
    countsOf(pod("executor", "g2", { gpu: 1, owner })),
  ];
  assert.deepEqual([apart.unsafe, apart.never, under.unsafe], [1, 1, 0]);
});

interface Counts {
  unsafe: number;
  stalls: number;
  /** Never back: its replacement finds no place. */
  never: number;
  /** Back once the node is open again. */
  late: number;
  /** A budget lets some go and no more. */
  held: number;
  /** Others hold the drain up. */
  stuck: number;
}

const acceleratedStartMs = 600_000;

/** Every node drained by itself, or failed where there is no actor: what is argued of endpoints against one course played to its end. */
function compare(name: string, cluster: Cluster, actor: Actor | null, counts: Counts): void {
  const { endpoints, supporting } = endpointsOf(cluster);
  const { states, horizonMs } = defaultLimits;
  const asked = { cluster, endpoints, supporting, timing: timingOf(cluster, noTiming), states, horizonMs };
  const ground = groundOf(asked);
  for (const node of cluster.nodes) {
    const failed = [{ do: "fail" as const, node: node.name }];
    const steps = actor === null ? failed : [maintenanceOf(cluster, actor, [node], "any")];
    const loss = lossOf(ground.standing, steps);
    assert.ok(loss !== null);
    const argued = new Map(endpoints.map((endpoint) => [endpoint, broken(ground, loss, endpoint)]));
    if ([...argued.values()].every((one) => one === null)) continue;
    const judgement = newJudgement({ ...asked, steps, choices: [] });
    const mark = ground.sim.journal.mark();
    ground.sim.begin(steps);
    ground.sim.runFirst();
    note(judgement, ground.sim);
    ground.sim.returnTo(mark);
    const hops = new Map(judgement.hops.map((outcome) => [outcome.hop, outcome]));
    for (const played of judgement.endpoints) {
      const { endpoint } = played;
      const one = argued.get(endpoint) ?? null;
      if (one === null) continue;
      counts[one.verdict] += 1;
      counts.held += one.stalled.some((hop) => one.unitsLeast(hop) < ground.standing.part(hop).ready) ? 1 : 0;
      counts.stuck += one.isStuck && one.stalled.length === 0 ? 1 : 0;
      counts.never += one.downMs === null ? 1 : 0;
      counts.late += actor !== null && (one.downMs ?? 0) > acceleratedStartMs ? 1 : 0;
      assert.deepEqual(
        {
          verdict: one.verdict,
          downMs: one.downMs,
          isStuck: one.isStuck,
          minCapacity: ground.standing.capacityWith(endpoint, one.unitsLeast),
          hops: endpoint.hops.map((hop) => ({
            min: one.unitsLeast(hop),
            wasZero: one.unitsLeast(hop) === 0,
            stalled: one.stalled.includes(hop),
          })),
        },
        {
          verdict: played.verdict,
          downMs: played.downMostMs,
          isStuck: judgement.maintenance === "stalls",
          minCapacity: played.minCapacity,
          hops: endpoint.hops.map((hop) => {
            const { min, wasZero, stalled } = hops.get(hop) ?? assert.fail();
            return { min, wasZero, stalled };
          }),
        },
        `${name}, ${node.name}: ${endpoint.namespace}/${endpoint.name}`,
      );
    }
  }
}
