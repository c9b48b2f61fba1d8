import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultLimits } from "../../src/cli/scenario-file.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { kubectlDrain } from "../../src/maintenance/actors/kubectl-drain.ts";
import { kubectlDrainInTurn } from "../../src/maintenance/actors/kubectl-drain-in-turn.ts";
import { poolsOf } from "../../src/maintenance/pool.ts";
import { buildCluster } from "../../src/model/build.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { type Ground, groundOf } from "../../src/search/n-minus-one/ground.ts";
import { heldInARow, inARow, standsStill } from "../../src/search/n-minus-one/in-a-row.ts";
import { type Loss, lossOf } from "../../src/search/n-minus-one/loss.ts";
import { type Hurt, Turns } from "../../src/search/n-minus-one/turns.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import type { PlannedStep } from "../../src/sim/program.ts";
import { timingOf } from "../../src/sim/timing.ts";
import type { Endpoint } from "../../src/systems/endpoint.ts";
import { madeUpSnapshot } from "../support/n-minus-one.ts";

for (const actor of [kubectlDrain, kubectlDrainInTurn]) {
  test(`${actor.name}: what the nodes of a row do to an endpoint shows when they are drained first`, () => {
    const cluster = buildCluster(madeUpSnapshot({ nodes: 240, pods: 7_200, seed: 2 }));
    const { endpoints, supporting } = endpointsOf(cluster);
    const { states, horizonMs } = defaultLimits;
    const timing = timingOf(cluster, noTiming);
    const ground = groundOf({ cluster, endpoints, supporting, timing, states, horizonMs });
    const counts = { unsafe: 0, stalls: 0, still: 0 };
    for (const pool of poolsOf(cluster.nodes)) {
      const steps = [maintenanceOf(cluster, actor, pool.nodes, "any")];
      const loss = lossOf(ground.standing, steps);
      assert.ok(loss !== null);
      const turns = new Turns(ground.sim, steps);
      for (const endpoint of endpoints) {
        const verdict = compared({ ground, loss, steps, turns }, endpoint);
        if (verdict !== null) counts[verdict] += 1;
        else counts.still += stillAtFirst({ ground, loss, steps, turns }, endpoint);
      }
      turns.end();
    }
    assert.ok(counts.unsafe >= 20, JSON.stringify(counts));
    assert.ok(
      actor === kubectlDrainInTurn ? counts.stalls === 0 : counts.stalls >= 5 && counts.still >= 5,
      JSON.stringify(counts),
    );
  });
}

/** What is argued of an endpoint, once it is what a turn shows; null: nothing is. */
function compared({ ground, loss, steps, turns }: Played, endpoint: Endpoint): Hurt["verdict"] | null {
  const { standing } = ground;
  const pods = endpoint.hops.flatMap((hop) => standing.part(hop).pods.filter((pod) => loss.pods.has(pod)));
  const candidates = [...new Set(pods.flatMap(({ node }) => (node === null ? [] : [node.name])))];
  const short = inARow(ground, { loss, steps }, { endpoint, candidates });
  const row = short ?? heldInARow(ground, { loss, steps }, { endpoint, candidates });
  if (row === null) return null;
  const verdict = short === null ? "stalls" : "unsafe";
  const hurt = turns.play({ endpoint, nodes: row.nodes }).hurt.get(endpoint);
  const name = `${endpoint.namespace}/${endpoint.name} by ${row.nodes.join(", ")}`;
  assert.equal(hurt?.verdict, verdict, name);
  // A turn that is cut short by a break may not have come to a stall.
  if (verdict === "stalls") assert.deepEqual(hurt?.stalled, row.stalled, name);
  // A turn ends at the moment something breaks: the others of the node are still to go.
  assert.ok((hurt?.minCapacity ?? 0) >= standing.capacityWith(endpoint, row.units), name);
  return verdict;
}

/** Nodes of the endpoint that are said to be drained for ever without harm to it, once a turn shows that. */
function stillAtFirst({ ground, loss, steps, turns }: Played, endpoint: Endpoint): number {
  const names = new Set(endpoint.hops.flatMap((hop) => ground.standing.part(hop).pods.map(({ node }) => node?.name)));
  const still = loss.nodes.filter(
    (node) => names.has(node) && standsStill(ground, { loss, steps }, { node, isAsked: (asked) => asked === endpoint }),
  );
  for (const node of still.slice(0, 1)) {
    const { stuck, hurt } = turns.play({ endpoint, nodes: [node, ...loss.nodes.filter((other) => other !== node)] });
    const name = `${endpoint.namespace}/${endpoint.name} by ${node}`;
    assert.equal(stuck, node, name);
    assert.ok(!hurt.has(endpoint), name);
  }
  return still.length;
}

interface Played {
  readonly ground: Ground;
  readonly loss: Loss;
  readonly steps: readonly PlannedStep[];
  readonly turns: Turns;
}
