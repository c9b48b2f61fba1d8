import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Cells } from "./cells.ts";
import type { Fixed } from "./fixed.ts";
import { Ranking } from "./ranking.ts";

/** Nodes that differ in nothing but how many taints they have: so many cells. */
function cellsOf(taints: readonly number[]): Cells {
  const { length } = taints;
  const fixed: Fixed = {
    open: new Uint8Array(length).fill(1),
    closed: new Uint8Array(length),
    taints: Int32Array.from(taints),
    affinity: new Int32Array(length),
    toleratesCordon: false,
  };
  return new Cells(fixed, []);
}

const node = fc.record({ taints: fc.nat(2), sum: fc.integer({ min: -1, max: 5 }), marked: fc.boolean() });

test("the highest of any stretch is found, and all that have it, as by going through them", () => {
  fc.assert(
    fc.property(
      fc.array(node, { minLength: 1, maxLength: 40 }),
      fc.nat(),
      fc.nat(),
      fc.array(fc.record({ at: fc.nat(), sum: fc.integer({ min: -1, max: 5 }) }), { maxLength: 6 }),
      (nodes, one, other, changes) => {
        const cells = cellsOf(nodes.map(({ taints }) => taints));
        const sums = Int16Array.from(nodes, ({ sum }) => sum);
        const ranking = new Ranking(cells, sums);
        for (const { at, sum } of changes) {
          sums[at % nodes.length] = sum;
          ranking.set(at % nodes.length, sum);
        }
        const marked = Uint8Array.from(nodes, (each) => (each.marked ? 1 : 0));
        const [from = 0, to = 0] = [one % (nodes.length + 1), other % (nodes.length + 1)].sort((a, b) => a - b);
        const stretch = Array.from(cells.order.subarray(from, to));
        const sumOf = (at: number): number => sums[at] ?? -1;
        const plain = stretch.filter((at) => marked[at] === 0);
        const most = Math.max(-1, ...plain.map(sumOf));
        assert.equal(ranking.highest(from, to), Math.max(-1, ...stretch.map(sumOf)));
        assert.equal(ranking.highestUnmarked(from, to, marked), most);
        const found: number[] = [];
        for (
          let place = ranking.nextUnmarked(from, to, most, marked);
          place < to;
          place = ranking.nextUnmarked(place + 1, to, most, marked)
        )
          found.push(ranking.nodeAt(place));
        assert.deepEqual(
          found,
          plain.filter((at) => sumOf(at) >= most),
        );
      },
    ),
  );
});

test("nodes of a cell stand together, in order", () => {
  const cells = cellsOf([1, 0, 1, 0, 1]);
  assert.deepEqual([...cells.order], [0, 2, 4, 1, 3]);
  assert.deepEqual(cells.starts, [0, 3, 5]);
  assert.equal(cells.placeFrom(0, 1), 1);
  assert.equal(cells.placeFrom(0, 5), 3);
  assert.equal(cells.placeFrom(1, 0), 3);
});
