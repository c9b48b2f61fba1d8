import assert from "node:assert/strict";
import { test } from "node:test";
import { limitsOf } from "./limits.ts";

test("the first place that has the annotation counts, readable or not", () => {
  const place = (value: string): ReadonlyMap<string, string> => new Map([["holdfast.dev/min-available", value]]);
  assert.equal(limitsOf([new Map(), place("2"), place("3")]).minAvailable, "2");
  assert.equal(limitsOf([place("two"), place("3")]).minAvailable, "");
  assert.equal(limitsOf([place("two")]).problems.length, 1);
});
