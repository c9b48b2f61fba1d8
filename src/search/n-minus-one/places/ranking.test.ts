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

const node = fc.record({ taints: fc.nat(2), sum: fc.integer({ min: -1, max: 5 }) });

test("the nodes of each cell stand in order of their sums, whatever changed", () => {
  fc.assert(
    fc.property(
      fc.array(node, { minLength: 1, maxLength: 40 }),
      fc.array(fc.record({ at: fc.nat(), sum: fc.integer({ min: -1, max: 5 }) }), { maxLength: 12 }),
      (nodes, changes) => {
        const cells = cellsOf(nodes.map(({ taints }) => taints));
        const sums = Int16Array.from(nodes, ({ sum }) => sum);
        const ranking = new Ranking(cells, sums);
        const sumOf = (at: number): number => sums[at] ?? -1;
        for (const { at: number, sum } of changes) {
          const at = number % nodes.length;
          if (sumOf(at) >= 0) ranking.remove(at);
          sums[at] = sum;
          if (sum >= 0) ranking.add(at);
        }
        for (let cell = 0; cell < cells.count; cell += 1) {
          const from = cells.starts[cell] ?? 0;
          const ranked = [...cells.order.subarray(from, cells.starts[cell + 1])]
            .filter((at) => sumOf(at) >= 0)
            .sort((a, b) => sumOf(b) - sumOf(a) || a - b);
          assert.deepEqual([...ranking.nodes.subarray(from, ranking.ends[cell])], ranked);
        }
      },
    ),
  );
});

test("nodes of a cell stand together, in order", () => {
  const cells = cellsOf([1, 0, 1, 0, 1]);
  assert.deepEqual([...cells.order], [0, 2, 4, 1, 3]);
  assert.deepEqual([...cells.starts], [0, 3, 5]);
});
