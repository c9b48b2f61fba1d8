import assert from "node:assert/strict";
import { test } from "node:test";
import { recordingNames, replay } from "./replay.ts";

/** A webhook outside the cluster decided these; reports name it among what is not modelled. */
const decidedOutside: ReadonlySet<string> = new Set(["webhook-dead-evictions", "webhook-dead-pods"]);

/** Which of three rollouts reaches the scheduler first decides where soft spread puts them: only the rest is compared. */
const raced: ReadonlyMap<string, RegExp> = new Map([["gateway-fix-soft", /^(?!.*(coredns|kube-dns|picker))/]]);

/**
 * Every scenario that was recorded on a real control plane, played by the model: the same evictions, codes, messages and
 * causes, deletions, refusals, drains' ends, final places, ready endpoints, budgets. Where the real scheduler drew among
 * equals, its draw must be among ours.
 */
for (const name of recordingNames()) {
  test(name, () => {
    const { differences, outside } = replay(name);
    if (decidedOutside.has(name)) assert.ok(outside.length > 0);
    else
      assert.deepEqual(
        differences.filter(({ what }) => raced.get(name)?.test(what) ?? true),
        [],
      );
  });
}

test("there are recordings", () => {
  assert.ok(recordingNames().length >= 60);
});
