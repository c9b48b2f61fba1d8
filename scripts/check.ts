import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { bundleCore } from "./bundles.ts";
import { root } from "./sources.ts";

// `npm run check`: the whole truth, in the order in which failures are cheapest to find. `--no-tests` leaves the last out.

const withTests = !process.argv.includes("--no-tests");

const steps: readonly (readonly [string, () => Promise<boolean> | boolean])[] = [
  ["format and lint", () => run(local("biome"), "check", "--error-on-warnings", ".")],
  ["types", () => run(local("tsc"), "--noEmit")],
  ["reference pages are generated", () => run(process.execPath, "scripts/reference.ts", "--check")],
  ["the core bundles for a browser", coreBundles],
  ...(withTests ? [["tests", () => run("npm", "test")] as const] : []),
];

const failed: string[] = [];
for (const [name, step] of steps) {
  const began = Date.now();
  const fine = await step();
  if (!fine) failed.push(name);
  console.log(`${fine ? "ok    " : "FAILED"} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
}
if (failed.length > 0) {
  console.error(`check failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

function local(tool: string): string {
  return join(root, "node_modules", ".bin", tool);
}

function run(program: string, ...argv: readonly string[]): boolean {
  return spawnSync(program, argv, { cwd: root, stdio: "inherit" }).status === 0;
}

async function coreBundles(): Promise<boolean> {
  try {
    await bundleCore();
    return true;
  } catch {
    return false;
  }
}
