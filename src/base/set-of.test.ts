import assert from "node:assert/strict";
import { test } from "node:test";
import { setOf } from "./set-of.ts";

test("a list is made into a set once", () => {
  const list = ["a", "b", "a"];
  assert.deepEqual([...setOf(list)], ["a", "b"]);
  assert.equal(setOf(list), setOf(list));
  assert.notEqual(setOf(list), setOf([...list]));
});
