import assert from "node:assert/strict";
import { test } from "node:test";
import { madeUpSnapshot } from "../../../../test/support/n-minus-one.ts";
import { buildCluster } from "../../../model/build.ts";
import { formOf } from "../../../model/template-numbers.ts";
import { snapshotOrder } from "../../../scheduler/node-order.ts";
import { Journal } from "../../../sim/journal.ts";
import { Ledger } from "../../../sim/ledger.ts";
import { Census } from "./census.ts";
import { NodeTable } from "./table.ts";

test("templates that differ in the node they name alone are one, whether their pods were looked at or not", () => {
  const ledger = new Ledger(buildCluster(madeUpSnapshot({ nodes: 6, pods: 150, seed: 1 })), new Journal());
  const order = snapshotOrder(ledger.nodes);
  let learnt = 0;
  const onNew = (): void => {
    learnt += 1;
  };
  const census = new Census(new NodeTable(order).byNode, order, onNew, null);
  const before = Array.from(order.keys(), (at) => Array.from(census.templatesOn(at)));
  for (const [at, node] of order.entries()) {
    const own = node.pods.map(({ template }) => template);
    assert.ok(own.some((template) => formOf(template) !== template));
    assert.deepEqual(
      own.map((template) => census.numberOf(template)),
      before[at],
    );
    census.set(at, node);
    assert.deepEqual(Array.from(census.templatesOn(at)), before[at]);
  }
  const forms = new Set([...ledger.pods].map(({ template }) => formOf(template)));
  assert.equal(new Set(before.flat()).size, forms.size);
  assert.equal(learnt, 0);
});
