import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildOracle } from "../test/oracle/oracle.ts";
import { differencesIn } from "../test/replay/replay.ts";
import { build, findGo, record, recordings } from "./rig.ts";
import { root } from "./sources.ts";

// `npm run conformance`: asks the real scheduler and the real control plane afresh and compares with the model.
//   -- --ci         1.36: a fixed sample of 5,000 decisions, ten scenarios
//   -- --all        every version: every recording on 1.36, ten on 1.34 and 1.37; fixes and runbooks with kubectl (confirm.ts)
//   -- --kwok       ten scenarios with KWOK as the kubelet in place of the recorder's stand-in
//   -- NAME…        these recordings, on 1.36
// Ends with 0: no difference, or no Go; 1: differences; 3: what has to be built could not be.

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

/** Ten in which a kubelet matters: pods that start and stop, and what waits for them. */
const kwokSample: readonly string[] = [
  "drain-one-node",
  "drain-refused-bare-pod",
  "drain-stateful",
  "drain-waits-for-replacement",
  "evict-two-budgets",
  "evict-unready-always-allow",
  "rollout-default",
  "rollout-stuck-spread-tainted",
  "spread-honor",
  "volume-pins-zone",
];

const { values, positionals } = parseArgs({
  options: {
    ci: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
    kwok: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

/** Nobody was asked: neither agreement nor a difference. */
const notAsked = 3;

if (findGo() === null) console.log("conformance: there is no Go here, so the real Kubernetes is not asked");
else if (!(await built())) process.exitCode = notAsked;
else process.exitCode = (await decisions()) && (await scenarios()) && confirmed() ? 0 : 1;

/** Fixes applied, runbooks typed. */
function confirmed(): boolean {
  if (!values.all || positionals.length > 0) return true;
  const done = spawnSync(process.execPath, ["scripts/confirm.ts", "--compare"], { cwd: root, stdio: "inherit" });
  return done.status === 0;
}

/** Builds what will be asked. A machine without the modules, or with another Go, cannot. */
async function built(): Promise<boolean> {
  try {
    const versions = values.all ? (["1.36", "1.34", "1.37"] as const) : (["1.36"] as const);
    if (positionals.length === 0 && !values.kwok)
      for (const version of versions) buildOracle(version, (text) => console.log(text));
    const planes = values.all ? ["plane-1.36", "plane-1.34", "plane-1.37"] : ["plane-1.36"];
    for (const name of ["record", ...planes, ...(values.kwok ? ["kwok"] : [])]) await build(name);
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.log(`conformance: the real Kubernetes cannot be built here, so it is not asked (${why})`);
    return false;
  }
}

/** Decisions of the scheduler, drawn by seed. */
async function decisions(): Promise<boolean> {
  if (positionals.length > 0 || values.kwok) return true;
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

/** Scenarios on a control plane. What differs is recorded up to twice more: some things there are a matter of who was quicker. */
async function scenarios(): Promise<boolean> {
  const names = positionals.length > 0 ? positionals : values.kwok ? kwokSample : values.all ? recordings() : sample;
  let agree = await agreeing("1.36", names);
  for (const minor of values.all ? ["1.34", "1.37"] : []) agree = (await agreeing(minor, sample)) && agree;
  return agree;
}

async function agreeing(minor: string, names: readonly string[]): Promise<boolean> {
  const into = mkdtempSync(join(tmpdir(), "holdfast-conformance-"));
  try {
    let again = names;
    for (let tries = 3; tries > 0 && again.length > 0; tries--) again = await differing(again, { minor, into });
    for (const name of again) {
      const file = join(into, `${name}.json`);
      console.error(`differs: ${name}`);
      if (!existsSync(file)) console.error("  it could not be recorded");
      else
        for (const { what, ours, real } of differencesIn(name, file))
          console.error(`  ${what}\n    ours ${ours}\n    real ${real}`);
    }
    console.log(`${names.length} scenarios played on a real control plane of ${minor}, ${again.length} differ`);
    return again.length === 0;
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

async function differing(
  names: readonly string[],
  { minor, into }: { readonly minor: string; readonly into: string },
): Promise<readonly string[]> {
  await record(names, { minor, into, kwok: values.kwok });
  return names.filter((name) => {
    const file = join(into, `${name}.json`);
    return !existsSync(file) || differencesIn(name, file).length > 0;
  });
}
