import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDuration } from "./duration.ts";

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
  for (const [text, expected] of cases) assert.equal(parseDuration(text), expected, text);
});
