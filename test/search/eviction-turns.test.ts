import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { defaultLimits } from "../../src/cli/scenario-file.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { loadPaths } from "../../src/load/from-files.ts";
import type { SimulationReport } from "../../src/report/types.ts";
import type { SettledChoice } from "../../src/sim/scenario.ts";
import { simulationReport } from "../support/assess.ts";

const timing = { ...noTiming, podStart: [{ pattern: "*", span: { leastMs: 0, mostMs: 0 } }] };
const cluster = join(import.meta.dirname, "..", "orders", "turns", "cluster");

function drained(choices: readonly SettledChoice[]): SimulationReport {
  return simulationReport(loadPaths([cluster]), {
    name: "turns",
    changes: [],
    body: { kind: "actor", actor: "kubectl-drain", nodes: { by: "names", names: ["n1", "n3"] }, order: "given" },
    timing,
    limits: defaultLimits,
    choices,
  });
}

const first = (pod: string): readonly SettledChoice[] => [{ pod, node: "n1", leaves: true, soon: false }];

test("whose turn it is decides who has the only place: each is tried, and the one that breaks is shown", () => {
  const found = drained([]);
  assert.equal(found.verdict, "unsafe");
  assert.deepEqual(found.counterexample?.choices, first("ml/zz-batch-6b7f-aaaaa"));
  assert.deepEqual(drained(found.counterexample.choices).timeline, found.timeline);
});

test("with the engine's turn first it has the place, and nothing breaks", () => {
  assert.equal(drained(first("ml/chat-6b7f-aaaaa")).verdict, "safe");
});

test("of two nodes drained at once, either may be the one that the budget lets go first", () => {
  const steps = [
    {
      do: "drain" as const,
      nodes: ["n1", "n3"],
      flags: ["--ignore-daemonsets", "--delete-emptydir-data"],
      concurrent: true,
      stopAfterMs: null,
      forceAfterMs: null,
    },
  ];
  const first = (node: string, pod: string) => {
    const report = simulationReport(loadPaths([join(cluster, "..", "..", "held", "cluster")]), {
      name: "at-once",
      changes: [],
      body: { kind: "steps", steps },
      timing,
      limits: defaultLimits,
      choices: [{ pod, node, leaves: true, soon: false }],
    });
    const gone = report.timeline.find((event) => event.type === "eviction" && event.code === 201);
    return gone?.type === "eviction" ? gone.node : "";
  };
  assert.equal(first("n1", "ml/chat-6b7f-aaaaa"), "n1");
  assert.equal(first("n3", "ml/chat-6b7f-bbbbb"), "n3");
});
