import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { checkSchema } from "../../src/report/schema.ts";
import type { CheckReport } from "../../src/report/types.ts";
import { mutated } from "./mutate.ts";
import { holdfast } from "./shell.ts";

const isCheck = new Ajv2020({ strict: false }).compile(checkSchema);
const small = readFileSync(join(import.meta.dirname, "small-cluster.yaml"), "utf8");

/** What is broken: a small cluster mostly, and what controllers of serving systems make. */
const systems = join(import.meta.dirname, "..", "systems");
const texts = readdirSync(systems)
  .map((name) => join(systems, name, "cluster.yaml"))
  .filter((file) => existsSync(file))
  .map((file) => readFileSync(file, "utf8"));

function textFor(seed: number): string {
  return seed % 2 === 0 ? small : (texts[((seed - 1) / 2) % texts.length] ?? small);
}

/** Everything below a space but line ends, and what reorders text on a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Judges one broken cluster: an error in words, or a report that is what the schema says. Anything else throws. */
export async function judgeBroken(seed: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-broken-"));
  const file = join(folder, "cluster.yaml");
  writeFileSync(file, mutated(textFor(seed), seed));
  try {
    const { code, out, err } = await holdfast([
      ...["check", "-f", file, "-o", "json", "--max-states", "300"],
      ...["--scenarios", "drain-one-node,pool-maintenance"],
    ]);
    assert.ok([0, 1, 2, 4].includes(code), `exit code ${code}`);
    assert.doesNotMatch(out + err, controls, "control characters are shown, never passed on");
    if (out === "") {
      assert.equal(code, 2);
      assert.match(err, /^holdfast/);
      return code;
    }
    const report: CheckReport = JSON.parse(out);
    assert.ok(isCheck(report), JSON.stringify(isCheck.errors));
    const safe = report.endpoints.some(({ verdict }) => verdict === "safe");
    const unread = report.problems.filter(({ path }) => path === "");
    assert.ok(!safe || unread.length === 0, "nothing is safe beside a document that was not read");
    return code;
  } catch (error) {
    throw new Error(`seed ${seed}; again with: npm run fuzz -- --seed ${seed} --runs 1`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
