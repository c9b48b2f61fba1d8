import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScenario } from "../../src/cli/scenario-file.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { loadText } from "../../src/load/from-files.ts";
import { kubectlDrain } from "../../src/maintenance/actors/kubectl-drain.ts";
import type { Cluster } from "../../src/model/cluster.ts";
import type { SimulationReport } from "../../src/report/types.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { answer } from "../../src/search/answer.ts";
import { newJudgement, pacesOf, playTimed, type Question } from "../../src/search/judge.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { simulationReport } from "../support/assess.ts";
import { built } from "./built.ts";
import { mixed, unlike } from "./fixtures.ts";
import { poolCluster } from "./pool-cluster.ts";
import { tryTimed } from "./twin/brute-force.ts";

const nodes = ["mixed-a", "mixed-b", "mixed-c"];
const soon = (pod: string): RegExp => new RegExp(`^mixed/${pod}-`);

test("only a quick engine and a slow picker break it: neither all as slow as can be nor all as quick do", () => {
  assert.equal(played({ "*": "10s" }).verdict, "safe");
  assert.equal(played({ "*": "10m" }).verdict, "safe");
  assert.equal(played({ "*": "10m", "mixed/epp*": "10s" }).verdict, "safe");
  assert.equal(played({ "*": "10m", "mixed/engine*": "10s" }).verdict, "unsafe");
  const found = played({ "*": "10s..10m" });
  assert.equal(found.verdict, "unsafe");
  assert.equal(found.exhaustive, true);
  assert.equal(found.counterexample?.drains, nodes.length);
  const quick = found.counterexample.choices.filter((choice) => choice.soon);
  assert.equal(quick.length, 1);
  assert.match(quick[0]?.pod ?? "", soon("engine"));
});

test("it replays: where starts are settled, all others are slow", () => {
  const found = played({ "*": "10s..10m" });
  const choices = found.counterexample?.choices ?? [];
  assert.deepEqual(played({ "*": "10s..10m" }, choices).timeline, found.timeline);
  const others = choices.filter(({ soon }) => !soon);
  const slow = played({ "*": "10m" }, others);
  assert.equal(slow.verdict, "safe");
});

test("what `safe` rests on is true of every start in that time: the picker may not start later than the engine", () => {
  const rests = played({ "*": "30s", "mixed/epp*": "10s..30s" }).endpoints[0]?.restsOn ?? [];
  const atMost = rests.find(({ pod }) => pod === "mixed/epp")?.atMostSeconds ?? 0;
  assert.ok(atMost >= 30 && atMost < 120, `${atMost} s`);
});

test("trying everything says the same", () => {
  const question = questionOf(built(mixed()), 5_000);
  const judgement = newJudgement(question);
  const paces = pacesOf(question, "mixed");
  const { states } = question;
  playTimed(question, judgement, { placement: "top", onlyShown: false, evictions: "every", states, paces });
  const [tried] = tryTimed(question, states) ?? [];
  const [said] = judgement.endpoints;
  assert.equal(tried?.verdict, "unsafe");
  assert.deepEqual(
    [said?.verdict, said?.effort?.drains, said?.effort?.choices],
    ["unsafe", tried.least?.drains, tried.least?.choices],
  );
});

test("in a large cluster the pods of one part against all others are looked for", () => {
  const cluster = built([...poolCluster(2, unlike), ...mixed()]);
  const { judgement } = answer(questionOf(cluster, 1_000_000));
  const outcome = judgement.endpoints.find(({ endpoint }) => endpoint.namespace === "mixed");
  assert.deepEqual([outcome?.verdict, outcome?.effort?.drains, judgement.exhaustive], ["unsafe", nodes.length, true]);
});

/** As a scenario file says it. */
function played(podStart: Readonly<Record<string, string>>, choices: readonly object[] = []): SimulationReport {
  const document = {
    apiVersion: "holdfast.dev/v1alpha1",
    kind: "Scenario",
    metadata: { name: "mixed" },
    spec: { actor: "kubectl-drain", nodes: { names: nodes }, order: "given", timing: { podStart }, choices },
  };
  const { scenario, problems } = parseScenario(JSON.stringify(document), "mixed.yaml");
  assert.deepEqual(problems, []);
  assert.ok(scenario);
  return simulationReport(snapshot, scenario);
}

function questionOf(cluster: Cluster, states: number): Question {
  const maintained = cluster.nodes.filter(({ name }) => nodes.includes(name));
  const span = { leastMs: 10_000, mostMs: 600_000 };
  return {
    cluster,
    steps: [maintenanceOf(cluster, kubectlDrain, maintained, "given")],
    ...endpointsOf(cluster),
    timing: timingOf(cluster, { ...noTiming, podStart: [{ pattern: "mixed/*", span }] }),
    states,
    horizonMs: 86_400_000,
    choices: [],
  };
}

const snapshot = loadText(
  mixed()
    .map((object) => JSON.stringify(object))
    .join("\n"),
  "mixed.ndjson",
);
