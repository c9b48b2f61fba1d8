import { parseArgs } from "node:util";
import { judgeBroken } from "../test/cli/broken-input.ts";

// `npm run fuzz -- --runs 5000 --seed 1`: broken clusters, one seed each. Stops at the first that crashes, and says which.

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, runs: { type: "string", default: "1000" } },
});
const first = Number(values.seed);
const runs = Number(values.runs);
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(runs)) {
  console.error("usage: npm run fuzz -- --seed NUMBER --runs NUMBER");
  process.exit(2);
}

const codes = new Map<number, number>();
for (let seed = first; seed < first + runs; seed += 1) {
  const code = await judgeBroken(seed);
  codes.set(code, (codes.get(code) ?? 0) + 1);
}
for (const [code, count] of [...codes].sort(([a], [b]) => a - b)) console.log(`exit ${code}: ${count}`);
