import assert from "node:assert/strict";
import { test } from "node:test";
import { Fields } from "../wire/fields.ts";
import type { Json } from "../wire/snapshot.ts";
import { parseIntOrPercent } from "./parse-int-or-percent.ts";

/** Value, what is read, what is complained of. */
const rows: readonly (readonly [Json, ReturnType<typeof parseIntOrPercent>, RegExp])[] = [
  [2, { percent: false, value: 2 }, /^$/],
  ["25%", { percent: true, value: 25 }, /^$/],
  ["2", null, /not "2"$/],
  [-1, null, /not -1$/],
  [1.5, null, /not 1\.5$/],
  [1e23, null, /not a number above 9007199254740991$/],
  [-1e23, null, /not a number below -9007199254740991$/],
  [[], null, /not a list$/],
];

for (const [value, expected, complaint] of rows) {
  test(`reads ${JSON.stringify(value)}`, () => {
    const problems: string[] = [];
    const fields = Fields.of({ minAvailable: value }, (_, message) => problems.push(message));
    assert.deepEqual(parseIntOrPercent(fields, "minAvailable"), expected);
    assert.match(problems.join(), complaint);
  });
}
