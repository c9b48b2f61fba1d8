import assert from "node:assert/strict";
import { test } from "node:test";
import { explained, incoming, node, viewOf } from "../../../test/support/scheduling.ts";
import { anyStart, schedule } from "../schedule.ts";

// Read from plugins/schedulinggates and registry/core/pod/strategy.go, Kubernetes 1.36.3.
const gated = incoming({ spec: { schedulingGates: [{ name: "example.com/b" }, { name: "example.com/a" }] } });

test("SchedulingGates: a gated pod does not enter the queue, gates in the order of the spec", () => {
  assert.deepEqual(explained({ objects: [node("a"), gated] }).preEnqueue, {
    code: "UnschedulableAndUnresolvable",
    plugin: "SchedulingGates",
    reasons: ["waiting for scheduling gates: [example.com/b example.com/a]"],
  });
});

test("SchedulingGates: its condition is the API server's", () => {
  const view = viewOf({ objects: [node("a"), gated] });
  const pod = view.pod("ns/new");
  assert.ok(pod);
  assert.deepEqual(schedule(view, pod, anyStart), {
    outcome: "gated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  });
});
