import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cases } from "./confirm/cases.ts";
import { aloneOnLoopback } from "./confirm/envoy-gateway.ts";
import { World } from "./confirm/world.ts";
import { build, findGo } from "./rig.ts";
import { root } from "./sources.ts";

// `node scripts/confirm.ts [NAME…]`: fixes and runbooks tried on a real control plane with the real kubectl, and what was seen
// written to test/confirmed/. `--into FOLDER` writes there instead.

const { values, positionals } = parseArgs({ options: { into: { type: "string" } }, allowPositionals: true });
const asked = positionals.length === 0 ? cases : cases.filter(({ name }) => positionals.includes(name));
const into = values.into ?? join(root, "test", "confirmed");

if (findGo() === null) console.log("confirm: there is no Go here, so no real control plane is asked");
else for (const one of asked) await confirm(one);

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
  const world = new World({ plane, kubectl, envoyGateway });
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
