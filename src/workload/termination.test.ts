import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../test/support/rows.ts";
import { cluster, container, pod, template } from "../../test/support/tiny.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { podStopMs, stopMs } from "./termination.ts";

interface Stop {
  readonly graceMs: number;
  readonly hooksMs?: readonly (number | null)[];
  readonly override?: number | null;
}

rows<Stop, number>(
  "stop",
  ({ graceMs, hooksMs = [null], override = null }) => {
    const containers = hooksMs.map((preStopMs) => container({ preStopMs }));
    return stopMs(template("web", { terminationGraceMs: graceMs, containers }), override);
  },
  [
    ["no hook: 5 s", { graceMs: 30_000 }, 5000],
    ["a hook and 5 s", { graceMs: 30_000, hooksMs: [15_000] }, 20_000],
    ["at most the grace", { graceMs: 30_000, hooksMs: [28_000] }, 30_000],
    ["the longest hook counts", { graceMs: 60_000, hooksMs: [1000, 20_000] }, 25_000],
    ["a hook of unknown length takes the grace", { graceMs: 30_000, hooksMs: [1000, -1] }, 30_000],
    ["the deleter's grace cuts it", { graceMs: 30_000, override: 1000 }, 1000],
    ["or lengthens it", { graceMs: 3000, hooksMs: [20_000], override: 60_000 }, 25_000],
    ["no grace, no time", { graceMs: 30_000, hooksMs: [20_000], override: 0 }, 0],
  ],
);

test("stop: a pod without a node, or finished, is gone at once", () => {
  const pods = [pod("a"), pod("b", { nodeName: "", phase: "Pending" }), pod("c", { phase: "Failed" })];
  const ledger = new Ledger(cluster({ pods }), new Journal());
  assert.deepEqual(
    [...ledger.pods].map((view) => podStopMs(view, null)),
    [5000, 0, 0],
  );
});
