import assert from "node:assert/strict";
import { test } from "node:test";
import { buildCluster } from "../../src/model/build.ts";
import { snapshotOrder } from "../../src/scheduler/node-order.ts";
import { nodesToFind } from "../../src/scheduler/sampling.ts";
import { NMinusOne } from "../../src/search/n-minus-one/n-minus-one.ts";
import { Journal } from "../../src/sim/journal.ts";
import { Ledger } from "../../src/sim/ledger.ts";
import { generateCluster } from "../oracle/generate/cluster.ts";
import { snapshotOf } from "../oracle/ours.ts";
import { madeUpSnapshot, referenceOf, saidOf } from "../support/n-minus-one.ts";

/** N-1 over columns against the readable scheduler: every node, every pod, one placed after the other. */
const seeds = Number(process.env["NMINUSONE_SEEDS"] ?? 60);

test("every pod of every node goes where the scheduler puts it", () => {
  let compared = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const minor = 34 + (seed % 4);
    const { objects } = generateCluster(seed, minor);
    compared += compare(new Ledger(buildCluster(snapshotOf(objects, minor)), new Journal()), `seed ${seed}`);
  }
  assert.ok(compared > seeds, "pods were compared");
});

test("in a cluster with affinity, spread and more nodes than are looked at", () => {
  const cluster = buildCluster(madeUpSnapshot({ nodes: 130, pods: 2_000, seed: 7 }));
  assert.equal(cluster.nodes.length, 130);
  assert.ok(nodesToFind(130, 0) < 130);
  assert.ok(compare(new Ledger(cluster, new Journal()), "130 nodes", 13) > 100);
});

/** How many pods were compared, on each `every`th node. */
function compare(ledger: Ledger, about: string, every = 1): number {
  const columns = new NMinusOne(ledger);
  const order = snapshotOrder(ledger.nodes);
  let compared = 0;
  for (let at = 0; at < order.length; at += every) {
    const moves = columns.without(at);
    compared += moves.length;
    assert.deepEqual(saidOf(ledger, moves), referenceOf(ledger, at, moves), `${about}, ${order[at]?.name}`);
  }
  return compared;
}
