import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Touches } from "./touches.ts";

test("whoever was touched since is told once, or that it was too long ago", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(8), { maxLength: 60 }), fc.integer({ min: 1, max: 6 }), (items, keptMax) => {
      const touches = new Touches<string>(keptMax);
      for (const item of items) touches.add(`n${item}`);
      assert.equal(touches.count, items.length);
      for (let count = 0; count <= items.length; count += 1) {
        const wanted = [...new Set(items.slice(count).map((item) => `n${item}`))].sort();
        const told = touches.since(count);
        if (told !== null) assert.deepEqual([...told].sort(), wanted);
        else assert.ok(wanted.length > keptMax, "no more than are kept were touched since");
      }
    }),
    { numRuns: 200 },
  );
});

test("those touched again and again are kept", () => {
  const touches = new Touches<string>(2);
  for (let time = 0; time < 100; time += 1) touches.add(time % 2 === 0 ? "a" : "b");
  assert.deepEqual(touches.since(0)?.toSorted(), ["a", "b"]);
});
