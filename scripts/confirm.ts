import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cases } from "./confirm/cases.ts";
import { aloneOnLoopback } from "./confirm/envoy-gateway.ts";
import { World } from "./confirm/world.ts";
import { build, findGo } from "./rig.ts";
import { root } from "./sources.ts";

// `node scripts/confirm.ts [NAME…]`: fixes and runbooks tried on a real control plane with the real kubectl, and what was seen
// written to test/confirmed/. `--into FOLDER` writes there instead; `--compare` writes nothing and says what differs from there.

const { values, positionals } = parseArgs({
  options: { into: { type: "string" }, compare: { type: "boolean", default: false } },
  allowPositionals: true,
});
const asked = positionals.length === 0 ? cases : cases.filter(({ name }) => positionals.includes(name));
const kept = join(root, "test", "confirmed");
const into = values.into ?? (values.compare ? mkdtempSync(join(tmpdir(), "holdfast-confirmed-")) : kept);

if (findGo() === null) console.log("confirm: there is no Go here, so no real control plane is asked");
else for (const one of asked) await confirm(one);

if (values.compare) {
  for (const { name } of asked) {
    const [was, is] = [gist(join(kept, `${name}.json`)), gist(join(into, `${name}.json`))];
    if (was === is) continue;
    process.exitCode = 1;
    console.error(`differs: ${name}; what was seen now is in ${into}`);
  }
  if (process.exitCode !== 1) rmSync(into, { recursive: true, force: true });
}

/** What does not hang on who was quicker: commands, how they ended, and the facts. */
function gist(file: string): string {
  if (!existsSync(file)) return "";
  const seen: { steps: { command: string; code: number }[]; facts: unknown } = JSON.parse(readFileSync(file, "utf8"));
  const text = JSON.stringify([seen.steps.map(({ command, code }) => [command, code]), seen.facts]);
  return text.replaceAll(/--timeout=\d+s/g, "--timeout");
}

async function confirm(one: (typeof cases)[number]): Promise<void> {
  const alone = one.envoyGateway ? aloneOnLoopback([import.meta.filename, "--into", into, one.name]) : null;
  const [plane, kubectl] = [await build("plane-1.36"), await build("kubectl")];
  const envoyGateway = one.envoyGateway ? await build("envoy-gateway") : "";
  if (plane === null || kubectl === null || envoyGateway === null) throw new Error("the rig is not built");
  if (alone !== null) {
    const [program = "", ...argv] = alone;
    if (spawnSync(program, argv, { stdio: "inherit" }).status !== 0) process.exitCode = 1;
    return;
  }
  const world = new World({ plane, kubectl, envoyGateway, lws: "" });
  try {
    await world.start(one.example, one);
    const { about, facts } = await one.play(world);
    const seen = { about, kubernetes: "v1.36.3", example: one.example, steps: world.steps, facts };
    mkdirSync(into, { recursive: true });
    writeFileSync(join(into, `${one.name}.json`), `${JSON.stringify(seen, null, 2)}\n`);
    const least = Math.min(...world.steps.flatMap(({ least }) => Object.values(least)));
    console.log(`${one.name}: ${world.steps.length} steps, least ready anywhere ${least}`);
  } finally {
    await world.stop();
  }
}
