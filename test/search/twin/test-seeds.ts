import assert from "node:assert/strict";
import { test } from "node:test";
import { heldToTwin } from "./twin.ts";

/** So many seeds in one test file: files are run side by side. */
const seedsEach = 570;

/** Another file for each part, from 0. More seeds: `npm run twin`. */
export function testSeeds(part: number): void {
  const from = part * seedsEach + 1;
  const to = from + seedsEach - 1;
  test(`small pools ${from} to ${to}: what the search says is what trying everything says`, () => {
    const { differences, timed, untimed } = heldToTwin({ from, to });
    assert.deepEqual(differences, []);
    assert.ok(timed >= 470 && untimed >= 310, `only ${timed} and ${untimed} were small enough to try everything`);
  });
}
