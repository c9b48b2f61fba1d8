import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { defaultLimits } from "../../src/cli/scenario-file.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { loadPaths } from "../../src/load/from-files.ts";
import type { SimulationReport } from "../../src/report/types.ts";
import type { SettledChoice } from "../../src/sim/scenario.ts";
import { simulationReport } from "../support/assess.ts";

const cluster = join(import.meta.dirname, "..", "orders", "turns", "cluster");

function drained(choices: readonly SettledChoice[]): SimulationReport {
  return simulationReport(loadPaths([cluster]), {
    name: "turns",
    changes: [],
    body: { kind: "actor", actor: "kubectl-drain", nodes: { by: "names", names: ["n1", "n3"] }, order: "given" },
    timing: { ...noTiming, podStart: [{ pattern: "*", span: { leastMs: 0, mostMs: 0 } }] },
    limits: defaultLimits,
    choices,
  });
}

const first = (pod: string): readonly SettledChoice[] => [{ pod, node: "n1", leaves: true }];

test("whose turn it is decides who has the only place: each is tried, and the one that breaks is shown", () => {
  const found = drained([]);
  assert.equal(found.verdict, "unsafe");
  assert.deepEqual(found.counterexample?.choices, first("ml/zz-batch-6b7f-aaaaa"));
  assert.deepEqual(drained(found.counterexample.choices).timeline, found.timeline);
});

test("with the engine's turn first it has the place, and nothing breaks", () => {
  assert.equal(drained(first("ml/chat-6b7f-aaaaa")).verdict, "safe");
});
