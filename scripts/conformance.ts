import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { replay } from "../test/replay/replay.ts";
import { findGo, record, recordings } from "./rig.ts";
import { root } from "./sources.ts";

// `npm run conformance`: asks the real scheduler and the real control plane afresh and compares with the model.
//   -- --ci         1.36: a fixed sample of 5,000 decisions, ten scenarios
//   -- --all        every version, every recording
//   -- NAME…        these recordings, on 1.36

/** Ten that no race between controllers decides. */
const sample: readonly string[] = [
  "drain-one-node",
  "drain-refused-bare-pod",
  "drain-stalls",
  "drain-waits-for-replacement",
  "evict-no-budget",
  "evict-two-budgets",
  "evict-unready-always-allow",
  "preempt-never",
  "reported-spread-cordoned",
  "volume-pins-zone",
];

const { values, positionals } = parseArgs({
  options: { ci: { type: "boolean", default: false }, all: { type: "boolean", default: false } },
  allowPositionals: true,
});

if (findGo() === null) console.log("conformance: there is no Go here, so the real Kubernetes is not asked");
else process.exitCode = (await decisions()) && (await scenarios()) ? 0 : 1;

/** Decisions of the scheduler, drawn by seed. */
async function decisions(): Promise<boolean> {
  if (positionals.length > 0) return true;
  const runs: readonly (readonly string[])[] = values.all
    ? [
        ["--version", "1.36", "--clusters", "2000", "--decisions", "100000"],
        ["--version", "1.34", "--clusters", "400", "--decisions", "20000"],
        ["--version", "1.37", "--clusters", "400", "--decisions", "20000"],
      ]
    : [["--version", "1.36", "--clusters", "1", "--decisions", "5000"]];
  return runs.every((run) => {
    const done = spawnSync(process.execPath, ["test/oracle/cli.ts", "--seed", "1", ...run], {
      cwd: root,
      stdio: "inherit",
    });
    return done.status === 0;
  });
}

/** Scenarios on a control plane. What differs is recorded once more: some things there are a matter of who was quicker. */
async function scenarios(): Promise<boolean> {
  const names = positionals.length > 0 ? positionals : values.all ? recordings() : sample;
  const into = mkdtempSync(join(tmpdir(), "holdfast-conformance-"));
  try {
    const first = await differing(names, into);
    const again = first.length === 0 ? [] : await differing(first, into);
    for (const name of again) {
      const file = join(into, `${name}.json`);
      console.error(`differs: ${name}`);
      if (!existsSync(file)) console.error("  it could not be recorded");
      else
        for (const { what, ours, real } of replay(name, file).differences)
          console.error(`  ${what}\n    ours ${ours}\n    real ${real}`);
    }
    console.log(`${names.length} scenarios played on a real control plane, ${again.length} differ`);
    return again.length === 0;
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

async function differing(names: readonly string[], into: string): Promise<readonly string[]> {
  await record(names, { minor: "1.36", into });
  return names.filter((name) => {
    const file = join(into, `${name}.json`);
    return !existsSync(file) || replay(name, file).differences.length > 0;
  });
}
