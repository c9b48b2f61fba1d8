import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { root } from "../../scripts/sources.ts";

// Some commands read the objects twice, which a pipe gives but once.

const main = join(root, "src", "cli", "main.ts");
const file = join(root, "test", "cli", "small-cluster.yaml");
const documents = readFileSync(file, "utf8");

function answer(
  argv: readonly string[],
  input: string | Buffer,
): { readonly code: number | null; readonly out: string } {
  const { status, stdout } = spawnSync(process.execPath, [main, ...argv], { input, encoding: "utf8", cwd: root });
  return { code: status, out: stdout.replaceAll("standard input", file).split("\n")[0] ?? "" };
}

for (const argv of [["check"], ["fix"], ["plan", "--drain", "n1"], ["simulate", "--drain", "n1"]]) {
  test(`${argv[0]} says of standard input what it says of the files`, () => {
    const expected = answer([...argv, "-f", file], "");
    assert.notEqual(expected.code, 2);
    assert.deepEqual(answer([...argv, "-f", "-"], documents), expected);
    if (argv[0] === "fix") assert.deepEqual(answer([...argv, "-f", "-"], gzipSync(documents)), expected);
  });
}
