import { parseArgs } from "node:util";
import { answer } from "../src/search/answer.ts";
import { questionOf } from "../test/search/fixture-question.ts";
import { unlikeFixtures } from "../test/search/fixtures.ts";
import { answered, type SearchedPool, searchedPools } from "./search-pools.ts";

// `npm run bench:search`: CPU seconds of the search alone, cluster read before, and of ten seeds of the pools of 24 nodes. With
// `--seeds N` so many of these pools more, for how many stay undecided.

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "0" }, only: { type: "string", default: "" } },
});

for (const pool of searchedPools(values.only)) tell(pool);
if (values.only === "" || "variants".includes(values.only)) variants(10);
seeds(Number(values.seeds));

function tell({ name, question, known }: SearchedPool): void {
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
