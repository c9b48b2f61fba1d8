import assert from "node:assert/strict";
import { test } from "node:test";
import { isWorse, worstOf } from "./severity.ts";

test("a break outweighs a stall, a stall what is open, and that what is safe", () => {
  assert.ok(isWorse("unsafe", "stalls"));
  assert.ok(isWorse("stalls", "undecided"));
  assert.ok(isWorse("undecided", "safe"));
  assert.ok(!isWorse("stalls", "stalls"));
  assert.equal(worstOf(["undecided", "stalls", "safe"]), "stalls");
  assert.equal(worstOf([]), "safe");
});
