import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cluster as clusterOf, node } from "../../test/support/tiny.ts";
import { poolsOf } from "../maintenance/pool.ts";
import { chosenNodes } from "../sim/plan-scenario.ts";
import { nodesInOrder } from "./nodes-in-order.ts";

const names = Array.from({ length: 7 }, (_, index) => `n${index}`);
const cluster = clusterOf({ nodes: names.map((name) => node(name)) });
const pool = poolsOf(cluster.nodes)[0]?.name ?? "";

test("read again, it is the same nodes in the same order", () => {
  assert.equal(poolsOf(cluster.nodes).length, 1);
  const orders = fc.shuffledSubarray(names, { minLength: names.length });
  fc.assert(
    fc.property(orders, (order) => {
      const told = nodesInOrder({ by: "names", names }, order, pool);
      assert.equal(told.by, "pool");
      const nodes = chosenNodes(cluster, told, (_, message) => assert.fail(message));
      assert.deepEqual(
        nodes.map(({ name }) => name),
        order,
      );
    }),
    { numRuns: 100 },
  );
});

test("no more is told than must be", () => {
  const first = (order: readonly string[]): unknown => {
    const told = nodesInOrder({ by: "names", names }, order, pool);
    return told.by === "pool" ? told.first : told;
  };
  assert.deepEqual(first(names), []);
  assert.deepEqual(first(["n3", "n5", "n0", "n1", "n2", "n4", "n6"]), ["n3", "n5"]);
  assert.deepEqual(first(["n3", "n5"]), { by: "names", names: ["n3", "n5"] });
});

test("a node that is none of the pool's is a problem", () => {
  const problems: string[] = [];
  chosenNodes(cluster, { by: "pool", pool, first: ["gone"] }, (path) => problems.push(path));
  assert.deepEqual(problems, ["spec.nodes.first"]);
});
