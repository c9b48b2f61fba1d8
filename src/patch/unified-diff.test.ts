import assert from "node:assert/strict";
import { test } from "node:test";
import { unifiedDiff } from "./unified-diff.ts";

const names = { from: "a/x", to: "b/x" };

test("the same text is no diff", () => {
  assert.equal(unifiedDiff("a\n", "a\n", names), "");
});

test("a changed line has three lines around it", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  assert.equal(
    unifiedDiff(before, before.replace("5", "five"), names),
    "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
  );
});

test("changes far apart are hunks of their own", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `${index}`);
  const after = lines.with(2, "x").with(25, "y");
  const diff = unifiedDiff(`${lines.join("\n")}\n`, `${after.join("\n")}\n`, names);
  assert.deepEqual(diff.match(/^@@.*$/gm), ["@@ -1,6 +1,6 @@", "@@ -23,7 +23,7 @@"]);
});

test("a new text begins at nothing", () => {
  assert.equal(
    unifiedDiff("", "a\nb\n", { from: "/dev/null", to: "b/x" }),
    "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n",
  );
});

test("a missing line break at the end is said", () => {
  assert.match(unifiedDiff("a\n", "a", names), /\\ No newline at end of file/);
});
