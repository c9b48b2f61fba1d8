import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../../scripts/sources.ts";
import { holdfast } from "./shell.ts";

// A plan is a claim as `safe` is: beside a document that was not read it says so, in every form and by its exit code.

const cluster = join(root, "examples", "openshift-two-replicas", "cluster");
const folder = mkdtempSync(join(tmpdir(), "holdfast-plan-"));
after(() => rmSync(folder, { recursive: true }));
const broken = join(folder, "broken.yaml");
writeFileSync(broken, "kind: [\n");

const asked = ["plan", "--drain", "ip-10-0-12-203.eu-west-1.compute.internal", "-f", cluster];

test("a plan for a cluster that was seen whole is certain", async () => {
  const { code, out } = await holdfast(asked);
  assert.equal(code, 0);
  assert.match(out, /^[^\n]* breaks under any choice\.\n/);
  assert.match((await holdfast([...asked, "-o", "junit"])).out, /tests="1" failures="0" errors="0" skipped="0"/);
});

test("beside a document that was not read it is not", async () => {
  const { code, out } = await holdfast([...asked, "-f", broken]);
  assert.equal(code, 4);
  assert.match(out, /^[^\n]* breaks under any choice, unless .*: a part of the input that was not read\.\n/);
  assert.match((await holdfast([...asked, "-f", broken, "-o", "junit"])).out, /tests="1" .* skipped="1"/);
});

test("what cannot be read is counted once by fix too, which reads twice", async () => {
  const { code, out } = await holdfast(["fix", "-f", cluster, "-f", broken]);
  assert.equal(code, 4);
  assert.match(out, /a part of the input that was not read/);
  assert.match(
    (await holdfast(["fix", "-f", cluster, "-f", broken, "-o", "junit"])).out,
    /<testsuite name="fix" tests="2"/,
  );
});
