import assert from "node:assert/strict";
import { test } from "node:test";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { kubectlDrain } from "../../src/maintenance/actors/kubectl-drain.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { newJudgement, note, type Question } from "../../src/search/judge.ts";
import { groundOf } from "../../src/search/n-minus-one/ground.ts";
import { Led } from "../../src/search/n-minus-one/led.ts";
import { lossOf } from "../../src/search/n-minus-one/loss.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { built } from "../search/built.ts";
import { poolCluster, type Shape } from "../search/pool-cluster.ts";

const tight: Shape = {
  nodes: 8,
  endpoints: 4,
  others: 16,
  fill: 0.8,
  free: 1,
  budgets: 0.5,
  spread: 0.3,
  alike: false,
  kured: false,
};

test("what breaks alone breaks at the first of many, as when that beginning is played", () => {
  const counts = { unsafe: 0, stalls: 0, undecided: 0 };
  for (let seed = 1; seed <= 20; seed += 1) {
    const question = questionOf(seed);
    const argued = ledOutcomes(question, { alone: true });
    const played = ledOutcomes(question, { alone: false });
    for (const [name, verdict] of played) {
      assert.equal(argued.get(name), verdict, `seed ${seed}: ${name}`);
      if (verdict !== "safe") counts[verdict] += 1;
    }
  }
  assert.ok(counts.unsafe >= 10 && counts.stalls >= 3, JSON.stringify(counts));
});

function questionOf(seed: number): Question {
  const cluster = built(poolCluster(seed, tight));
  return {
    cluster,
    steps: [maintenanceOf(cluster, kubectlDrain, cluster.nodes.slice(0, 6), "any")],
    ...endpointsOf(cluster),
    timing: timingOf(cluster, noTiming),
    states: 1,
    horizonMs: 86_400_000,
    choices: [],
  };
}

/** Single drains first, as a check plays them, or none; then the beginnings of the whole. */
function ledOutcomes(
  question: Question,
  { alone }: { readonly alone: boolean },
): ReadonlyMap<string, "safe" | "unsafe" | "stalls" | "undecided"> {
  const { cluster } = question;
  const ground = groundOf(question);
  const { sim, standing } = ground;
  const led = new Led(ground);
  for (const node of alone ? cluster.nodes.slice(0, 6) : []) {
    const steps = [maintenanceOf(cluster, kubectlDrain, [node], "any")];
    const loss = lossOf(standing, steps);
    const judgement = newJudgement({ ...question, steps });
    const mark = sim.journal.mark();
    sim.begin(steps);
    for (let stop = sim.run(); stop.kind === "choice"; stop = sim.run()) sim.choose(0);
    note(judgement, sim);
    sim.returnTo(mark);
    assert.ok(loss !== null);
    led.noteAlone(loss, judgement.endpoints);
  }
  const loss = lossOf(standing, question.steps);
  assert.ok(loss !== null);
  const judgement = newJudgement(question);
  for (const outcome of judgement.endpoints) if (!outcome.endpoint.idle) outcome.verdict = "undecided";
  const hops = new Map(judgement.hops.map((outcome) => [outcome.hop, outcome]));
  led.judge({ loss, steps: question.steps, outcomes: judgement.endpoints, hops });
  return new Map(
    judgement.endpoints.map(({ endpoint, verdict }) => [`${endpoint.namespace}/${endpoint.name}`, verdict]),
  );
}
