import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./sources.ts";

// `npm run measure`: CPU time of the built program, the least of several runs. Not a test: machines differ.

const program = join(root, "dist", "holdfast.js");
if (!existsSync(program)) {
  console.error("dist/ is not there: npm run build first");
  process.exit(2);
}

const example = join(root, "examples", "modelplane-incident", "cluster");
const bare = cpuMs(["-e", "0"]);
const help = cpuMs([program, "--help"]);
const check = cpuMs([program, "check", "--from", example, "--fail-on", "never"]);

console.log(`node -e 0        ${bare} ms`);
console.log(`holdfast --help  ${help} ms, ${(help / bare).toFixed(1)} times; at most 4`);
console.log(`holdfast check   ${check} ms of the incident; at most 1000`);
process.exitCode = help <= 4 * bare && check <= 1000 ? 0 : 1;

/** User and system time of the whole process, told by itself as it ends. */
function cpuMs(argv: readonly string[]): number {
  const hook =
    'data:text/javascript,import{writeSync}from"node:fs";process.on("exit",()=>{const{user,system}=process.cpuUsage();writeSync(3,String(user+system))})';
  const runs = Array.from({ length: 7 }, () => {
    const { output, status } = spawnSync(process.execPath, ["--import", hook, ...argv], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${argv.join(" ")} ended with ${status}`);
    return Number(output[3] ?? "") / 1000;
  });
  return Math.round(Math.min(...runs));
}
