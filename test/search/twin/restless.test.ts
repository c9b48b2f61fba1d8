import assert from "node:assert/strict";
import { test } from "node:test";
import { heldToTwin } from "./twin.ts";

// More seeds: `npm run twin -- --restless`.

test("small pools with others that are not at rest: what the search says is what trying everything says", () => {
  const { differences, timed, untimed } = heldToTwin({ from: 1, to: 60, isRestless: true });
  assert.deepEqual(differences, []);
  assert.ok(timed >= 40 && untimed >= 20, `only ${timed} and ${untimed} were small enough to try everything`);
});
