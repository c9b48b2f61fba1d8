import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { mutations } from "./mutations.ts";

test("every mutation still names one line of our rules", () => {
  assert.ok(mutations.length >= 30);
  const stale = mutations.filter(({ file, from }) => {
    const text = readFileSync(join(import.meta.dirname, "../../src", file), "utf8");
    return text.split(from).length !== 2 || from.includes("\n");
  });
  assert.deepEqual(stale, []);
});

test("no mutation is listed twice", () => {
  const keys = mutations.map(({ file, from, to }) => `${file} ${from} ${to}`);
  assert.equal(new Set(keys).size, keys.length);
});
