import assert from "node:assert/strict";
import { test } from "node:test";
import { heldToTwin } from "./twin.ts";

test("small pools: what the search says is what trying everything says", () => {
  const told = heldToTwin({ from: 1, to: 60, coursesMax: 250 });
  assert.deepEqual(told.differences, []);
  assert.ok(told.whole >= 28, `only ${told.whole} pools were small enough to try everything`);
});
