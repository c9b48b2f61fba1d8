import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateCluster } from "./generate/cluster.ts";
import { type Mutation, mutations } from "./mutations.ts";
import { buildOracle, startOracle } from "./oracle.ts";

/** Asks whether the comparison notices each mutation, and after how many clusters. With --save the table is kept. */
const clustersMax = 2000;
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "mutations-"));

interface Found {
  readonly clusters: number;
  readonly seed: number | null;
  readonly kind: string | null;
}

try {
  const answers = join(folder, "answers.ndjson");
  await record(answers);
  cpSync(join(root, "src"), join(folder, "copy/src"), { recursive: true });
  cpSync(join(root, "test/oracle"), join(folder, "copy/test/oracle"), { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "copy/package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "copy/node_modules"));
  const untouched = hold(answers);
  if (untouched.seed !== null) throw new Error(`without a mutation seed ${untouched.seed} differs: ${untouched.kind}`);
  const rows: (Mutation & Found)[] = [];
  const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
  for (const mutation of mutations) {
    if (wanted.length > 0 && !wanted.some((text) => mutation.file.includes(text))) continue;
    const found = tryOut(mutation, answers);
    rows.push({ ...mutation, ...found });
    const verdict = found.seed === null ? "NOT FOUND" : `after ${found.clusters} clusters by ${found.kind}`;
    console.log(`${mutation.file}: ${mutation.from} → ${mutation.to || "(nothing)"}: ${verdict}`);
  }
  const missed = rows.filter((row) => row.seed === null).length;
  console.log(`${rows.length} mutations, ${missed} not found within ${clustersMax} clusters`);
  if (process.argv.includes("--save")) {
    writeFileSync(join(import.meta.dirname, "figures/mutations.json"), `${JSON.stringify(rows, null, 1)}\n`);
  }
  process.exitCode = missed === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

async function record(path: string): Promise<void> {
  const oracle = startOracle(buildOracle("1.36", console.error));
  const lines: string[] = [];
  for (let seed = 1; seed <= clustersMax; seed++)
    lines.push(JSON.stringify(await oracle.ask(generateCluster(seed, 36))));
  oracle.stop();
  writeFileSync(path, `${lines.join("\n")}\n`);
}

function tryOut(mutation: Mutation, answers: string): Found {
  const path = join(folder, "copy/src", mutation.file);
  const before = readFileSync(path, "utf8");
  if (before.split(mutation.from).length !== 2) throw new Error(`${mutation.file} does not hold ${mutation.from} once`);
  writeFileSync(
    path,
    before.replace(mutation.from, () => mutation.to),
  );
  try {
    return hold(answers);
  } finally {
    writeFileSync(path, before);
  }
}

function hold(answers: string): Found {
  const child = spawnSync(process.execPath, [join(folder, "copy/test/oracle/mutant.ts"), answers, "36"], {
    encoding: "utf8",
  });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as Found;
}
