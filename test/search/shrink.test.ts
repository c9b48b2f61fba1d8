import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScenario } from "../../src/cli/scenario-file.ts";
import { loadText } from "../../src/load/from-files.ts";
import { type EndpointOutcome, newJudgement, note, type Question, simulationOf } from "../../src/search/judge.ts";
import { shrink } from "../../src/search/shrink.ts";
import { optionCount } from "../../src/sim/simulation.ts";
import { simulationReport } from "../support/assess.ts";
import { questionOf } from "./fixture-question.ts";
import { fixtures } from "./fixtures.ts";

const fixture = fixtures.find(({ name }) => name === "one-order-of-nine");
const nine = Array.from({ length: 9 }, (_, index) => `chain-${index + 1}`);

test("drains that do not matter are left for later, and choices that do not to chance", () => {
  assert.ok(fixture);
  const question = questionOf(fixture);
  // The places of the other parts' pods are chosen against the first option; two of these drains do not matter.
  const outcome = played(question, ["chain-q", ...nine.slice(0, 4), "chain-p", ...nine.slice(4)]);
  assert.deepEqual([outcome.verdict, outcome.effort?.drains], ["unsafe", 11]);
  const settled = outcome.course?.settled.length ?? 0;
  shrink(question, "for-room", outcome, 20_000);
  assert.deepEqual([outcome.verdict, outcome.effort?.drains], ["unsafe", 9]);
  assert.ok((outcome.course?.settled.length ?? 0) < settled);
  const drained = outcome.course?.drains.map(({ node }) => node) ?? [];
  assert.deepEqual(drained.slice(0, nine.length), nine);
  assert.equal(replayed(drained, outcome.course?.settled ?? []), "unsafe");
});

/** One course in this order, every other choice its last option. */
function played(question: Question, order: readonly string[]): EndpointOutcome {
  const pace = { timing: question.timing, span: "most" } as const;
  const sim = simulationOf(question, { timed: true, placement: "top", evictions: "for-room", ...pace });
  const left = [...order];
  for (let stop = sim.run(); stop.kind === "choice"; stop = sim.run()) {
    const { choice } = stop;
    sim.choose(choice.kind === "next-node" ? choice.nodes.indexOf(left.shift() ?? "") : optionCount(choice) - 1);
  }
  const judgement = newJudgement(question);
  note(judgement, sim);
  const [outcome] = judgement.endpoints;
  assert.ok(outcome);
  return outcome;
}

/** As a scenario file says it. */
function replayed(names: readonly string[], choices: readonly object[]): string {
  const document = {
    apiVersion: "holdfast.dev/v1alpha1",
    kind: "Scenario",
    metadata: { name: "chain" },
    spec: { actor: "kured", nodes: { names }, order: "given", timing: { podStart: { "*": "0s" } }, choices },
  };
  const { scenario } = parseScenario(JSON.stringify(document), "chain.yaml");
  assert.ok(scenario);
  const lines = fixture?.objects().map((object) => JSON.stringify(object)) ?? [];
  return simulationReport(loadText(lines.join("\n"), "chain.ndjson"), scenario).verdict;
}
