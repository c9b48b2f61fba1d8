import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { checkSchema } from "../../src/report/schema.ts";
import type { CheckReport } from "../../src/report/types.ts";
import { mutated } from "./mutate.ts";
import { holdfast } from "./shell.ts";

const isCheck = new Ajv2020({ strict: false }).compile(checkSchema);
const text = readFileSync(join(import.meta.dirname, "small-cluster.yaml"), "utf8");

/** Judges one broken cluster: an error in words, or a report that is what the schema says. Anything else throws. */
export async function judgeBroken(seed: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-broken-"));
  const file = join(folder, "cluster.yaml");
  writeFileSync(file, mutated(text, seed));
  try {
    const { code, out, err } = await holdfast(["check", "-f", file, "-o", "json", "--max-states", "2000"]);
    assert.ok([0, 1, 2, 4].includes(code), `exit code ${code}`);
    if (out === "") {
      assert.equal(code, 2);
      assert.match(err, /^holdfast/);
      return code;
    }
    const report: CheckReport = JSON.parse(out);
    assert.ok(isCheck(report), JSON.stringify(isCheck.errors));
    return code;
  } catch (error) {
    throw new Error(`seed ${seed}; again with: npm run fuzz -- --seed ${seed} --runs 1`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
