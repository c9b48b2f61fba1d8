import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseTime } from "./parse-time.ts";

test("law: times read as the machine's own calendar reads them", () => {
  const range = { min: new Date("1970-01-01T00:00:00Z"), max: new Date("2199-12-31T23:59:59Z"), noInvalidDate: true };
  fc.assert(
    fc.property(fc.date(range), (date) => {
      assert.equal(parseTime(date.toISOString()), date.getTime());
    }),
  );
});

test("zones are taken off, fractions are cut to ms", () => {
  assert.equal(parseTime("2026-11-01T10:00:00+02:00"), Date.UTC(2026, 10, 1, 8));
  assert.equal(parseTime("2026-11-01T08:00:00.123456Z"), Date.UTC(2026, 10, 1, 8, 0, 0, 123));
});

for (const text of [
  "",
  "yesterday",
  "2026-11-01",
  "2026-13-01T00:00:00Z",
  "2026-11-01T25:00:00Z",
  "2026-11-01T08:00:00",
]) {
  test(`${JSON.stringify(text)} is no time`, () => assert.equal(parseTime(text), null));
}
