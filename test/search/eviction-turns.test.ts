import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { defaultLimits } from "../../src/cli/scenario-file.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { loadPaths } from "../../src/load/from-files.ts";
import { kured } from "../../src/maintenance/actors/kured.ts";
import { buildCluster } from "../../src/model/build.ts";
import type { SimulationReport } from "../../src/report/types.ts";
import { explore } from "../../src/search/explore.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import type { EvictionOrders } from "../../src/sim/rivals.ts";
import type { SettledChoice } from "../../src/sim/scenario.ts";
import { Simulation } from "../../src/sim/simulation.ts";
import { timingOf } from "../../src/sim/timing.ts";
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

test("of nodes worked on side by side the second may be closed before the first one's pods are asked, or after", () => {
  const two = buildCluster(loadPaths([cluster]));
  const nodes = two.nodes.filter(({ name }) => name === "n1" || name === "n2");
  const sideBySide = { ...kured, nodesAtOnce: 2 };
  /** How many pods were asked for before n2 was closed, in any course. */
  const askedBefore = (evictions: EvictionOrders): readonly number[] => {
    const counts = new Set<number>();
    const sim = new Simulation(
      two,
      [maintenanceOf(two, sideBySide, nodes, "given")],
      { endpoints: [], supporting: [] },
      {
        timed: true,
        startUps: "that-matter",
        evictions,
        placement: "top",
        timing: timingOf(two, timing),
        span: "most",
        horizonMs: 86_400_000,
      },
    );
    explore(sim, { states: 10_000, choices: [] }, (end) => {
      const closed = end.timeline.findIndex(({ fact }) => fact.type === "node-cordoned" && fact.node === "n2");
      counts.add(end.timeline.slice(0, closed).filter(({ fact }) => fact.type === "eviction").length);
      return "on";
    });
    return [...counts].sort();
  };
  assert.deepEqual(askedBefore("by-name"), [2]);
  assert.deepEqual(askedBefore("for-room"), [0, 1, 2]);
  assert.deepEqual(askedBefore("every"), [0, 1, 2]);
});
