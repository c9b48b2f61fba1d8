import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { root } from "./sources.ts";

// `node scripts/fix-law.ts [CLUSTERS]`: the law of fixes over this many small random clusters (5,000 when nothing is said) and a
// hundredth as many whole request paths, on all processors. Each share has a seed of its own, so the same number is the same clusters.

const clusters = Number(process.argv[2] ?? 5000);
const shares = Math.max(1, Math.min(availableParallelism(), Math.ceil(clusters / 100)));
const codes = await Promise.all(Array.from({ length: shares }, (_, index) => played(index)));
const failed = codes.filter((code) => code !== 0).length;
console.log(
  failed === 0
    ? `the law holds on ${Math.ceil(clusters / shares) * shares} clusters`
    : `${failed} of ${shares} shares failed`,
);
process.exitCode = failed === 0 ? 0 : 1;

function played(index: number): Promise<number> {
  const env = { ...process.env, FIX_CLUSTERS: `${Math.ceil(clusters / shares)}`, FIX_SEED: `${20_261_130 + index}` };
  const child = spawn(process.execPath, ["test/patch/law.test.ts"], { cwd: root, env, stdio: "inherit" });
  return new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
}
