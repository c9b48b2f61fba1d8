import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { root } from "../../scripts/sources.ts";
import { checkSchema, simulationSchema } from "../../src/report/schema.ts";
import type { CheckReport, SimulationReport } from "../../src/report/types.ts";
import { yamlText } from "../../src/report/yaml.ts";
import { holdfast } from "./shell.ts";

// Every bundled example through the program: its JSON is what the schema says, and the worst trace replays as a file.

const ajv = new Ajv2020({ strict: false });
const isCheck = ajv.compile(checkSchema);
const isSimulation = ajv.compile(simulationSchema);
const folder = mkdtempSync(join(tmpdir(), "holdfast-examples-"));
after(() => rmSync(folder, { recursive: true }));

const examples = readdirSync(join(root, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

for (const name of examples) {
  const input = join(root, "examples", name, "cluster");
  describe(name, () => {
    test("the report is what the schema says, and its worst trace replays", async () => {
      const { code, out } = await holdfast(["check", "-f", input, "-o", "json"]);
      const report: CheckReport = JSON.parse(out);
      assert.ok(isCheck(report), JSON.stringify(isCheck.errors));
      const broken = report.endpoints.some(({ verdict }) => verdict === "unsafe" || verdict === "stalls");
      assert.equal(code, broken ? 1 : report.endpoints.some(({ verdict }) => verdict === "undecided") ? 4 : 0);
      for (const { namespace, name: endpoint, worst } of report.endpoints) {
        if (worst !== null) await replays(input, `${namespace}/${endpoint}`, worst);
      }
    });
  });
}

async function replays(input: string, endpoint: string, worst: NonNullable<CheckReport["endpoints"][number]["worst"]>) {
  const file = join(folder, "scenario.yaml");
  writeFileSync(file, yamlText(worst.replay));
  const { out } = await holdfast(["simulate", "-f", input, "--scenario", file, "-o", "json"]);
  const report: SimulationReport = JSON.parse(out);
  assert.ok(isSimulation(report), JSON.stringify(isSimulation.errors));
  const replayed = report.endpoints.find((entry) => `${entry.namespace}/${entry.name}` === endpoint);
  assert.equal(replayed?.verdict, worst.verdict);
  assert.deepEqual(replayed?.down, worst.down);
}

describe("the program as people start it", () => {
  const input = join(root, "examples", "modelplane-incident", "cluster");

  test("the first line is the answer", async () => {
    const { out } = await holdfast(["check", "-f", input, "--fail-on", "never"]);
    assert.match(
      out.split("\n")[0] ?? "",
      /^mp-ml-team-[a-z0-9]+\/chat-0 is unsafe: pool-maintenance\/system takes it down for \d+ min/,
    );
  });

  test("the same bytes each time", async () => {
    const first = await holdfast(["check", "-f", input]);
    assert.deepEqual(await holdfast(["check", "-f", input]), first);
  });

  test("every format comes out", async () => {
    for (const format of ["table", "json", "yaml", "markdown", "sarif", "junit"]) {
      const { code, out, err } = await holdfast(["check", "-f", input, "-o", format]);
      assert.equal(code, 1);
      assert.equal(err, "");
      assert.ok(out.length > 100, format);
    }
  });

  test("a name chooses its endpoint, one that is not there is bad usage", async () => {
    const one: CheckReport = JSON.parse((await holdfast(["check", "-f", input, "-o", "json", "chat-0"])).out);
    assert.deepEqual(
      one.endpoints.map(({ name }) => name),
      ["chat-0"],
    );
    const { code, out, err } = await holdfast(["check", "-f", input, "-o", "json", "nobody"]);
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err, /no model endpoint nobody/);
  });

  test("a node that is not there is bad usage", async () => {
    const { code, out, err } = await holdfast(["simulate", "-f", input, "--drain", "no-such-node"]);
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err, /no-such-node/);
    const near = await holdfast(["simulate", "-f", input, "--drain", "computeinstance-e00c4m8q1w7zk2d5t9"]);
    assert.match(near.err, /which is no node here; did you mean computeinstance-e00c4m8q1w7zk2d5t1 or /);
  });
});
