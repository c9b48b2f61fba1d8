import assert from "node:assert/strict";
import { test } from "node:test";
import { scaledDown, scaleToHighest } from "./normalize.ts";

// Read from plugins/helper/normalize_score.go, Kubernetes 1.36.3.
test("normalize: scaled to the highest, cut off, reversed afterwards", () => {
  assert.deepEqual(scaleToHighest([1, 2, 3], false), [33, 66, 100]);
  assert.deepEqual(scaleToHighest([1, 2, 3], true), [67, 34, 0]);
});

test("normalize: all 0 stays 0, and is best when reversed", () => {
  assert.deepEqual(scaleToHighest([0, 0], false), [0, 0]);
  assert.deepEqual(scaleToHighest([0, 0], true), [100, 100]);
});

test("normalize: whole numbers beyond what a double holds", () => {
  const terabytes = 9_007_199_254_740_991;
  assert.equal(scaledDown(terabytes - 1, 100, terabytes), 99);
  assert.equal(scaledDown(terabytes, 100, terabytes), 100);
  assert.equal(scaledDown(7, 100, 3), 233);
});
