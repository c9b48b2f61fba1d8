import assert from "node:assert/strict";
import { test } from "node:test";

/** One test for each row: what it is about, then whatever the check takes, then what must come out. */
export function rows<Input, Outcome>(
  subject: string,
  decide: (input: Input) => Outcome,
  table: readonly (readonly [about: string, input: Input, expected: Outcome])[],
): void {
  for (const [about, input, expected] of table) {
    test(`${subject}: ${about}`, () => assert.deepEqual(decide(input), expected));
  }
}
