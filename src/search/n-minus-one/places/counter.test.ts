import assert from "node:assert/strict";
import { test } from "node:test";
import { Counter } from "./counter.ts";
import { Shelf } from "./shelf.ts";
import type { Domains } from "./table.ts";

/** Two zones, and a node without one. */
const zones: Domains = {
  number: 1,
  of: Int32Array.from([0, 1, 0, -1]),
  nodes: [[0, 2], [1]],
  isFine: false,
  isByNode: false,
};

for (const isFine of [false, true]) {
  test(`pods are counted by domain, of ${isFine ? "many" : "few"}`, () => {
    const counter = new Counter(new Shelf(), { ...zones, isFine });
    counter.add(2, 2);
    counter.add(1, 1);
    counter.add(3, 5);
    assert.deepEqual([counter.on(0), counter.on(1), counter.on(3), counter.total], [2, 1, 0, 3]);
    assert.deepEqual([counter.fewest(2), counter.fewest(3)], [1, 0]);
    counter.add(0, -2);
    assert.deepEqual([counter.on(2), counter.on(1), counter.fewest(1), counter.fewest(2)], [0, 1, 1, 0]);
  });

  test(`nodes that do not count add nothing, of ${isFine ? "many" : "few"} domains`, () => {
    const counter = new Counter(new Shelf(), { ...zones, isFine }, { included: Uint8Array.from([1, 1, 0, 1]) });
    counter.add(2, 2);
    counter.add(0, 1);
    assert.deepEqual([counter.on(2), counter.total], [1, 1]);
  });
}

test("of many domains, one without any is not told", () => {
  const counter = new Counter(new Shelf(), { ...zones, isFine: true });
  counter.add(1, 1);
  counter.add(2, 2);
  assert.deepEqual(
    [[...counter.some], counter.nodes],
    [
      [0, 1],
      [0, 2, 1],
    ],
  );
  counter.add(0, -2);
  assert.deepEqual([[...counter.some], counter.of(1)], [[1], 1]);
});
