import assert from "node:assert/strict";
import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { CheckReport } from "../../src/report/types.ts";
import { holdfast } from "./shell.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-snapshot-"));
after(() => rmSync(folder, { recursive: true }));

const cluster = readFileSync(join(import.meta.dirname, "small-cluster.yaml"), "utf8");
const input = join(folder, "cluster.yaml");
writeFileSync(
  input,
  `${cluster}---\napiVersion: v1\nkind: Secret\nmetadata: { name: key, namespace: ml }\nstringData: { token: hunter2-hunter2 }\n`,
);

async function report(file: string): Promise<CheckReport> {
  return JSON.parse((await holdfast(["check", "-f", file, "-o", "json"])).out);
}

describe("a snapshot", () => {
  test("is judged as what it was made from, and holds no Secret", async () => {
    const file = join(folder, "a.holdfast.gz");
    const { code, out, err } = await holdfast(["snapshot", "-f", input, "--output-file", file]);
    assert.equal(code, 0);
    assert.equal(out, `${file}\n`);
    assert.match(err, /1 Secret left out/);
    assert.ok(!gunzipSync(readFileSync(file)).includes("hunter2"));
    const [before, later] = [await report(input), await report(file)];
    assert.deepEqual(later.endpoints, before.endpoints);
    assert.equal(later.cluster.secretsDropped, 1);
  });

  test("overwrites only with --force, and never through a link", async () => {
    const target = join(folder, "precious");
    const link = join(folder, "link.gz");
    writeFileSync(target, "precious");
    symlinkSync(target, link);
    const refused = await holdfast(["snapshot", "-f", input, "--output-file", link]);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /--force overwrites it/);
    assert.equal((await holdfast(["snapshot", "-f", input, "--output-file", link, "--force"])).code, 0);
    assert.equal(readFileSync(target, "utf8"), "precious");
    assert.ok(lstatSync(link).isFile());
  });

  test("without names of the original when anonymized", async () => {
    const file = join(folder, "anonymous.holdfast.gz");
    assert.equal((await holdfast(["snapshot", "-f", input, "--output-file", file, "--anonymize"])).code, 0);
    const text = gunzipSync(readFileSync(file)).toString("utf8");
    assert.ok(!text.includes("chat"));
    assert.equal((await report(file)).endpoints[0]?.verdict, (await report(input)).endpoints[0]?.verdict);
  });

  test("not into a folder that is not there", async () => {
    const { code, err } = await holdfast(["snapshot", "-f", input, "--output-file", join(folder, "no", "a.gz")]);
    assert.equal(code, 2);
    assert.match(err, /cannot write/);
  });
});
