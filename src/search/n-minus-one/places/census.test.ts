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

test("a node's pods are known again one by one, whoever of them went, came, or became another", () => {
  const ledger = new Ledger(buildCluster(madeUpSnapshot({ nodes: 6, pods: 150, seed: 1 })), new Journal());
  const order = snapshotOrder(ledger.nodes);
  const census = new Census(new NodeTable(order).byNode, order, () => undefined, null);
  const [node, other] = order;
  assert.ok(node !== undefined && other !== undefined);
  const isRight = (): void => {
    census.set(0, node);
    assert.deepEqual(
      Array.from(census.templatesOn(0)),
      node.pods.map(({ template }) => census.numberOf(template)),
    );
  };
  const mark = ledger.journal.mark();
  const [first, second, third, fourth] = node.pods;
  assert.ok(first !== undefined && second !== undefined && third !== undefined && fourth !== undefined);
  isRight();
  ledger.markTerminating(second.key, false);
  ledger.removePod(first.key);
  isRight();
  ledger.removePod(second.key);
  ledger.removePod(third.key);
  isRight();
  const { template, owner, namespace, revision } = third;
  const made = ledger.createPod({ owner, namespace, name: null, template, ordinal: null, revision });
  ledger.bind(made.key, node.name);
  ledger.setTemplate(fourth.key, other.pods[0]?.template ?? template);
  isRight();
  ledger.journal.undoTo(mark);
  isRight();
  assert.equal(census.templatesOn(0).length, node.pods.length);
});
