import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Answer, Question } from "./decision.ts";
import { generateCluster } from "./generate/cluster.ts";
import { buildOracle, minorOf, type Oracle, startOracle, type Version } from "./oracle.ts";

/** How many clusters of each version are kept. The seeds are far from those that `cli.ts` uses by default. */
const kept: readonly (readonly [Version, number])[] = [
  ["1.36", 400],
  ["1.34", 100],
  ["1.37", 100],
];
const seedFirst = 500_000;
/** Larger clusters are left to the comparison itself, but for a few in which the search ends early. */
const bytesMax = 90_000;

/** False when the real scheduler answers otherwise the next times: such a cluster says nothing about ours. */
async function isSteady(oracle: Oracle, question: Question, answer: Answer): Promise<boolean> {
  const first = JSON.stringify(answer);
  for (let i = 0; i < 4; i++) if (JSON.stringify(await oracle.ask(question)) !== first) return false;
  return true;
}

/** Asks the real scheduler and writes questions with answers down, so that they can be held against ours without Go. */
const folder = join(import.meta.dirname, "fixtures");
mkdirSync(folder, { recursive: true });
for (const [version, count] of kept) {
  const oracle = startOracle(buildOracle(version, console.error));
  const lines: string[] = [];
  let large = 0;
  for (let seed = seedFirst; lines.length < count; seed++) {
    const { about: _, ...question } = generateCluster(seed, minorOf(version));
    if (JSON.stringify(question).length > bytesMax && ++large > 5) continue;
    const answer = await oracle.ask(question);
    if (!(await isSteady(oracle, question, answer))) continue;
    if (answer.error !== undefined) throw new Error(`seed ${seed}: ${answer.error}`);
    lines.push(JSON.stringify({ question, answer }));
  }
  oracle.stop();
  const packed = gzipSync(`${lines.join("\n")}\n`, { level: 9 });
  writeFileSync(join(folder, `${version}.ndjson.gz`), packed);
  console.log(`${version}: ${lines.length} clusters, ${packed.length} bytes`);
}
