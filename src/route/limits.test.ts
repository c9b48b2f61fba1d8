import assert from "node:assert/strict";
import { test } from "node:test";
import { durationMs, limitsOf } from "./limits.ts";

test("durations as Go writes them", () => {
  const cases: readonly (readonly [string, number | null])[] = [
    ["0", 0],
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["1.5s", 1500],
    ["250ms", 250],
    ["1m", 60_000],
    ["", null],
    ["90", null],
    ["1d", null],
    ["s", null],
  ];
  for (const [text, expected] of cases) assert.equal(durationMs(text), expected, text);
});

test("the first place that has the annotation counts, readable or not", () => {
  const place = (value: string): ReadonlyMap<string, string> => new Map([["holdfast.dev/min-available", value]]);
  assert.equal(limitsOf([new Map(), place("2"), place("3")]).minAvailable, "2");
  assert.equal(limitsOf([place("two"), place("3")]).minAvailable, "");
  assert.equal(limitsOf([place("two")]).problems.length, 1);
});
