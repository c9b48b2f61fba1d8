import assert from "node:assert/strict";
import { test } from "node:test";
import { recordingNames, replay } from "./replay.ts";

/** A webhook outside the cluster decided these; reports name it among what is not modelled. */
const decidedOutside: ReadonlySet<string> = new Set(["webhook-dead-evictions", "webhook-dead-pods"]);

/** What chance decided in a recording is not compared; the pattern matches what is. */
const raced: ReadonlyMap<string, RegExp> = new Map([
  // Which of three rollouts reaches the scheduler first decides where soft spread puts them.
  ["gateway-fix-soft", /^(?!.*(coredns|kube-dns|picker))/],
  // kubectl asks for all pods of the node at once: which one the budget lets go first decides who is made again first.
  ["drain-stateful", /^(?!end of)/],
]);

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
