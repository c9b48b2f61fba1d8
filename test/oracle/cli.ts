import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareAnswers } from "./compare.ts";
import { type Coverage, coverageText, coverageVerdict, sampleText } from "./coverage.ts";
import type { Question } from "./decision.ts";
import { figuresOf } from "./figures.ts";
import { buildOracle, hasGo, isVersion, minorOf, type Oracle, startOracle } from "./oracle.ts";
import { loadOurs, missing } from "./ours.ts";
import { type Differing, type Ours, type RunResult, run } from "./run.ts";
import { shrink } from "./shrink.ts";

const help = `node test/oracle/cli.ts [--version 1.36] [--clusters 2000] [--seed 1] [--decisions N] [--differences 20] [--json] [--save]
Compares our scheduler with the real one on drawn clusters. --shrink makes each kind of difference as small as it gets; --kinds "score,filter" looks at kinds that begin so only;
--skip "devices,volumes" leaves out clusters about these.
--coverage asks the real one only. --save writes the figures for docs/reference/fidelity.md.`;

const { values } = parseArgs({
  options: {
    version: { type: "string", default: "1.36" },
    clusters: { type: "string", default: "2000" },
    decisions: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    differences: { type: "string", default: "20" },
    coverage: { type: "boolean", default: false },
    shrink: { type: "boolean", default: false },
    kinds: { type: "string", default: "" },
    skip: { type: "string", default: "" },
    json: { type: "boolean", default: false },
    save: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  const { version } = values;
  if (values.help || !isVersion(version)) {
    console.error(help);
    return values.help ? 0 : 2;
  }
  if (!hasGo()) {
    console.error(
      "There is no Go toolchain here, so the real scheduler cannot be asked. `npm test` replays recorded answers.",
    );
    return 2;
  }
  const ours = values.coverage ? null : await loadOurs();
  if (ours === null && !values.coverage) {
    console.error(missing);
    return 2;
  }
  const oracle = startOracle(buildOracle(version, console.error));
  try {
    const result = await run(oracle, ours, {
      version,
      seed: Number(values.seed),
      clusters: Number(values.clusters),
      decisions: Number(values.decisions),
      differencesMax: Number(values.differences),
      kinds: list(values.kinds),
      skip: list(values.skip),
    });
    const figures = figuresOf(version, Number(values.seed), result);
    if (values.save) {
      const folder = join(import.meta.dirname, "figures");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${version}.json`), `${JSON.stringify(figures, null, 1)}\n`);
    }
    if (values.json) console.log(JSON.stringify(figures));
    else await report(oracle, ours, minorOf(version), result);
    const coverage = coverageVerdict(result.coverage, minorOf(version));
    if (!values.json) console.log(`\n${coverage?.text ?? sampleText}`);
    const fine = result.differing.length === 0 && result.unanswered.length === 0 && coverage?.met !== false;
    return fine ? 0 : 1;
  } finally {
    oracle.stop();
  }
}

async function report(oracle: Oracle, ours: Ours | null, minor: number, result: RunResult): Promise<void> {
  console.log(coverageText(result.coverage as Coverage));
  for (const { seed, error } of result.unanswered) console.log(`\nseed ${seed}: the oracle failed: ${error}`);
  if (ours === null) return;
  console.log(
    `\n${result.differing.length} clusters differ, in ${result.undecided} the real scheduler is of two minds`,
  );
  for (const [kind, cases] of byKind(result.differing)) {
    const [first] = cases;
    if (first === undefined) continue;
    console.log(
      `\n${kind}: ${cases.length} clusters, seeds ${cases
        .slice(0, 8)
        .map((c) => c.seed)
        .join(" ")}`,
    );
    const example = first.differences.find((d) => d.kind === kind);
    console.log(
      `  ${example?.pod} ${example?.node}\n  theirs: ${cut(example?.theirs)}\n  ours:   ${cut(example?.ours)}`,
    );
    if (!values.shrink) continue;
    const smallest = cases.reduce((a, b) =>
      JSON.stringify(a.question).length <= JSON.stringify(b.question).length ? a : b,
    );
    const small = await shrink(smallest.question, (question) => differs(oracle, ours, minor, question, kind));
    console.log(`  shrunk from seed ${smallest.seed}:\n${JSON.stringify(small)}`);
  }
}

async function differs(oracle: Oracle, ours: Ours, minor: number, question: Question, kind: string): Promise<boolean> {
  const theirs = await oracle.ask(question);
  if (theirs.error !== undefined) return false;
  return compareAnswers(question, theirs, ours(question, minor)).some((difference) => difference.kind === kind);
}

function byKind(differing: readonly Differing[]): [string, Differing[]][] {
  const kinds = new Map<string, Differing[]>();
  for (const one of differing) {
    for (const kind of new Set(one.differences.map((difference) => difference.kind))) {
      kinds.set(kind, [...(kinds.get(kind) ?? []), one]);
    }
  }
  return [...kinds].sort((a, b) => b[1].length - a[1].length);
}

function list(text: string): readonly string[] {
  return text === "" ? [] : text.split(",");
}

function cut(text: string | undefined): string {
  return text === undefined || text.length <= 600 ? String(text) : `${text.slice(0, 600)} …`;
}
