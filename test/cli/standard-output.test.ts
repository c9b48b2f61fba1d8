import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/sources.ts";

const main = join(root, "src", "cli", "main.ts");

function into(command: string): ReturnType<typeof spawnSync> {
  return spawnSync("sh", ["-c", `"$0" "$1" ${command}`, process.execPath, main], { cwd: root, encoding: "utf8" });
}

test("a full disk is told, without a stack trace", { skip: !existsSync("/dev/full") }, () => {
  const { status, stderr } = into("systems >/dev/full");
  assert.equal(status, 2);
  assert.match(String(stderr), /^holdfast: cannot write to standard output: .*\n$/);
});

test("a reader that goes away early is no failure", () => {
  const { status, stderr } = into("systems | true");
  assert.equal(status, 0);
  assert.equal(stderr, "");
});
