import assert from "node:assert/strict";
import { test } from "node:test";
import { madeUpSnapshot } from "../../../../test/support/n-minus-one.ts";
import { buildCluster } from "../../../model/build.ts";
import { snapshotOrder } from "../../../scheduler/node-order.ts";
import { Journal } from "../../../sim/journal.ts";
import { Ledger } from "../../../sim/ledger.ts";
import { Cells } from "./cells.ts";
import { Demand } from "./demand.ts";
import { fixedOf } from "./fixed.ts";
import { NodeTable } from "./table.ts";

const ledger = new Ledger(buildCluster(madeUpSnapshot({ nodes: 130, pods: 2_000, seed: 3 })), new Journal());
const order = snapshotOrder(ledger.nodes);
/** Its pods may go to most nodes. */
const template = [...ledger.pods]
  .map((pod) => pod.template)
  .find((each) => fixedOf(order, each).open.reduce((sum, one) => sum + one, 0) > order.length / 2);

for (const many of [1, 130]) {
  test(`${many} nodes that changed are listed and ranked as if nothing had been known before`, () => {
    assert.ok(template);
    const table = new NodeTable(order);
    for (const [at, node] of order.entries()) table.set(at, node, node.pods.length);
    const fixed = fixedOf(order, template);
    const asked = { table, minor: ledger.cluster.version.minor, template, fixed, images: null };
    const cells = new Cells(fixed, [table.domains("topology.kubernetes.io/zone")]);
    const told = (demand: Demand): unknown => {
      demand.catchUp();
      const { nodes, ends } = demand.rankingBy(cells);
      const ranked = Array.from(ends, (end, cell) => [...nodes.subarray(cells.starts[cell], end)]);
      return [[...demand.nodes.subarray(0, demand.count)], [...demand.rankOf], [...demand.sums], ranked];
    };
    const demand = new Demand(asked);
    assert.ok(demand.count > order.length / 2);
    const before = told(demand);
    const step = Math.ceil(order.length / many);
    for (let at = 0; at < order.length; at += step) {
      // As many as leave no room on every other one, and one more on the others.
      for (let more = at % 2 === 0 ? 200 : 1; more > 0; more -= 1) table.add(at, template, 1);
      table.touch(at);
    }
    table.settle();
    assert.notDeepEqual(told(demand), before);
    assert.deepEqual(told(demand), told(new Demand(asked)));
  });
}
