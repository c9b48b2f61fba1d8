import { parseArgs } from "node:util";
import { heldToTwin } from "../test/search/twin/twin.ts";

// `npm run twin -- --from 1 --to 10000`: the search against trying everything, on small pools. Exits 1 where they differ.
// `--restless`: with others in them that are not at rest.

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    to: { type: "string", default: "10000" },
    restless: { type: "boolean", default: false },
  },
});
const [from, to] = [Number(values.from), Number(values.to)];
const step = 100;
let [timed, untimed, differing] = [0, 0, 0];
const verdicts = new Map<string, number>();
for (let at = from; at <= to; at += step) {
  const held = heldToTwin({ from: at, to: Math.min(to, at + step - 1), isRestless: values.restless });
  for (const difference of held.differences) console.log(difference);
  differing += held.differences.length;
  timed += held.timed;
  untimed += held.untimed;
  for (const [verdict, count] of held.verdicts) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + count);
  console.error(`${from} to ${Math.min(to, at + step - 1)}: ${timed} and ${untimed} tried, ${differing} differ`);
}
console.log(`${to - from + 1} seeds, everything tried of ${timed}, and of ${untimed} untimed: ${differing} differ`);
for (const [verdict, count] of verdicts) console.log(`${verdict}: ${count}`);
process.exitCode = differing === 0 ? 0 : 1;
