import { readFileSync } from "node:fs";
import { compareAnswers } from "./compare.ts";
import type { Answer } from "./decision.ts";
import { generateCluster } from "./generate/cluster.ts";
import { loadOurs } from "./ours.ts";

/** Runs inside a copy with one mutation: holds recorded answers against the mutated rules until they disagree. */
const [path = "", minor = "36"] = process.argv.slice(2);
const ours = await loadOurs();
if (ours === null) throw new Error("our side is missing");
let clusters = 0;
for (const line of readFileSync(path, "utf8").trimEnd().split("\n")) {
  const answer = JSON.parse(line) as Answer;
  const question = generateCluster(Number(answer.id), Number(minor));
  clusters++;
  const [first] = compareAnswers(question, answer, ours(question, Number(minor)));
  if (first === undefined) continue;
  console.log(JSON.stringify({ clusters, seed: Number(answer.id), kind: first.kind }));
  process.exit(0);
}
console.log(JSON.stringify({ clusters, seed: null, kind: null }));
