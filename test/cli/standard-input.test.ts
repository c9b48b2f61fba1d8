import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { root } from "../../scripts/sources.ts";

// Some commands read the objects twice, which a pipe gives but once.

const main = join(root, "src", "cli", "main.ts");
const folder = join(root, "examples", "openshift-two-replicas", "cluster");
const documents = readdirSync(folder)
  .map((name) => readFileSync(join(folder, name), "utf8"))
  .join("---\n");

function answer(
  argv: readonly string[],
  input: string | Buffer,
): { readonly code: number | null; readonly out: string } {
  const { status, stdout } = spawnSync(process.execPath, [main, ...argv], { input, encoding: "utf8", cwd: root });
  return { code: status, out: stdout.replaceAll("standard input", folder).split("\n")[0] ?? "" };
}

for (const argv of [["check"], ["fix"], ["plan", "--pool", "worker"], ["simulate", "--pool", "worker"]]) {
  test(`${argv[0]} says of standard input what it says of the files`, () => {
    const expected = answer([...argv, "-f", folder], "");
    assert.notEqual(expected.code, 2);
    assert.deepEqual(answer([...argv, "-f", "-"], documents), expected);
    if (argv[0] === "fix") assert.deepEqual(answer([...argv, "-f", "-"], gzipSync(documents)), expected);
  });
}
