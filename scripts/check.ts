import { spawnSync } from "node:child_process";
import { bundleCore } from "./bundles.ts";
import { root } from "./sources.ts";

// `npm run check`: the whole truth, in the order in which failures are cheapest to find. `--no-tests` leaves the last out.

const withTests = !process.argv.includes("--no-tests");

const steps: readonly (readonly [string, () => Promise<boolean> | boolean])[] = [
  ["format and lint", () => tool("biome", "ci", "--error-on-warnings", ".")],
  ["types", () => tool("tsc", "--noEmit")],
  ["reference pages are generated", () => script("scripts/reference.ts", "--check")],
  ["the core bundles for a browser", coreBundles],
  ...(withTests ? [["tests", () => tool("npm", "test")] as const] : []),
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

/** npm scripts find the tools of node_modules first. */
function tool(name: string, ...argv: readonly string[]): boolean {
  return spawnSync(name, argv, { cwd: root, stdio: "inherit" }).status === 0;
}

function script(path: string, ...argv: readonly string[]): boolean {
  return tool(process.execPath, path, ...argv);
}

async function coreBundles(): Promise<boolean> {
  try {
    await bundleCore();
    return true;
  } catch {
    return false;
  }
}
