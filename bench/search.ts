import { join } from "node:path";
import { parseArgs } from "node:util";
import { noTiming } from "../src/cli/timing-fields.ts";
import { loadPaths } from "../src/load/from-files.ts";
import { buildCluster } from "../src/model/build.ts";
import { endpointsOf } from "../src/route/build.ts";
import { answer } from "../src/search/answer.ts";
import type { Judgement, Question } from "../src/search/judge.ts";
import { actorsOfPools, namedScenarios } from "../src/search/named-scenarios.ts";
import { timingOf } from "../src/sim/timing.ts";
import { questionOf } from "../test/search/fixture-question.ts";
import { type Fixture, fixtures, unlikeFixtures } from "../test/search/fixtures.ts";

// `npm run bench:search`: CPU seconds of the search alone, cluster read before, and of ten seeds of the pools of 24 nodes. With
// `--seeds N` so many of these pools more, for how many stay undecided.

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "0" }, only: { type: "string", default: "" } },
});

if (values.only === "" || "incident".includes(values.only)) tell("incident", incident(), null);
for (const fixture of fixtures) {
  if (fixture.name.includes(values.only)) tell(fixture.name, questionOf(fixture), fixture.verdicts);
}
if (values.only === "" || "variants".includes(values.only)) variants(10);
seeds(Number(values.seeds));

/** What a fixture should give; null: nothing is known of it. */
type Known = Fixture["verdicts"] | null;

function tell(name: string, question: Question, known: Known): void {
  const { judgement, cpuSeconds, wrong } = answered(question, known);
  const said = judgement.endpoints.map(
    ({ verdict, effort }) => `${verdict}${effort === null ? "" : `/${effort.drains}`}`,
  );
  const { nodes, pods } = question.cluster;
  console.log(
    `${name}: ${nodes.length} nodes, ${pods.length} pods, ${cpuSeconds.toFixed(2)} CPU s, ${judgement.states} states, ` +
      `exhaustive ${judgement.exhaustive}, ${wrong} wrong, ${[...new Set(said)].join(" ")}`,
  );
}

function answered(
  question: Question,
  known: Known,
): { readonly judgement: Judgement; readonly cpuSeconds: number; readonly wrong: number } {
  const before = process.threadCpuUsage();
  const { judgement } = answer(question);
  const { user, system } = process.threadCpuUsage(before);
  const wrong = judgement.endpoints.filter(
    ({ endpoint, verdict }) => known !== null && verdict !== (known[endpoint.namespace] ?? "safe"),
  );
  return { judgement, cpuSeconds: (user + system) / 1e6, wrong: wrong.length };
}

function incident(): Question {
  const cluster = buildCluster(
    loadPaths([join(import.meta.dirname, "..", "examples", "modelplane-incident", "cluster")]),
  );
  const scenarios = namedScenarios(cluster, ["pool-maintenance"], actorsOfPools(cluster, []));
  const system = scenarios.find(({ name }) => name.endsWith("/system")) ?? scenarios[0];
  return {
    cluster,
    steps: system?.variants[0]?.steps ?? [],
    ...endpointsOf(cluster),
    timing: timingOf(cluster, noTiming),
    states: 1_000_000,
    horizonMs: 86_400_000,
    choices: [],
  };
}

/** The safe pool, the one that breaks and the one that stalls, of so many seeds. */
function variants(count: number): void {
  let [most, wrong, open] = [0, 0, 0];
  for (let seed = 1; seed <= count; seed += 1) {
    for (const fixture of unlikeFixtures(seed)) {
      const one = answered(questionOf(fixture), fixture.verdicts);
      most = Math.max(most, one.cpuSeconds);
      wrong += one.wrong;
      if (!one.judgement.exhaustive) open += 1;
    }
  }
  console.log(`variants of ${count} seeds: at most ${most.toFixed(2)} CPU s, ${wrong} wrong, ${open} not exhaustive`);
}

function seeds(count: number): void {
  const said = new Map<string, number>();
  let open = 0;
  for (let seed = 1; seed <= count; seed += 1) {
    const [safe] = unlikeFixtures(seed);
    if (safe === undefined) continue;
    const { endpoints } = answer(questionOf(safe)).judgement;
    if (endpoints.some(({ verdict }) => verdict === "undecided")) open += 1;
    for (const { verdict } of endpoints) said.set(verdict, (said.get(verdict) ?? 0) + 1);
  }
  const verdicts = [...said].map(([verdict, n]) => `${verdict} ${n}`).join(", ");
  if (count > 0) console.log(`${count} seeds, ${open} with something undecided: ${verdicts}`);
}
