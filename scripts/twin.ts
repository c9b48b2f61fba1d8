import { parseArgs } from "node:util";
import { heldToTwin } from "../test/search/twin.ts";

// `npm run twin -- --from 1 --to 10000`: the search against trying everything, on small pools. Exits 1 where they differ.

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    to: { type: "string", default: "10000" },
    courses: { type: "string", default: "200" },
  },
});
const [from, to, coursesMax] = [Number(values.from), Number(values.to), Number(values.courses)];
const step = 100;
let [whole, differing] = [0, 0];
const verdicts = new Map<string, number>();
for (let at = from; at <= to; at += step) {
  const told = heldToTwin({ from: at, to: Math.min(to, at + step - 1), coursesMax });
  for (const difference of told.differences) console.log(difference);
  differing += told.differences.length;
  whole += told.whole;
  for (const [verdict, count] of told.verdicts) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + count);
}
console.log(`${to - from + 1} seeds, everything tried of ${whole}, ${differing} differ`);
for (const [verdict, count] of verdicts) console.log(`${verdict}: ${count}`);
process.exitCode = differing === 0 ? 0 : 1;
