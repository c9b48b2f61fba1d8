import assert from "node:assert/strict";
import { test } from "node:test";
import { differencesIn, recordingNames } from "./replay.ts";

/**
 * Every scenario that was recorded on a real control plane, played by the model: the same evictions, codes, messages and
 * causes, deletions, refusals, drains' ends, final places, ready endpoints, budgets. Where the real scheduler drew among
 * equals, its draw must be among ours.
 */
for (const name of recordingNames()) {
  test(name, () => assert.deepEqual(differencesIn(name), []));
}

test("there are recordings", () => {
  assert.ok(recordingNames().length >= 60);
});
