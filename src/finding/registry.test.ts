import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findingRuleNamed, findingRules } from "./registry.ts";

test("codes are given once, in order, and never change hands", () => {
  const codes = findingRules.map(({ code }) => code);
  assert.deepEqual(codes, [...new Set(codes)].sort());
  assert.equal(findingRuleNamed("picker-standby-budget")?.code, "HF012");
  assert.equal(findingRuleNamed("hf001")?.name, "single-replica");
  assert.equal(findingRuleNamed("no-such"), undefined);
});

test("every rule explains itself in whole paragraphs", () => {
  for (const { name, title, explain, messages } of findingRules) {
    assert.ok(explain.split("\n\n").length >= 2, name);
    assert.match(explain, /\.$/, name);
    assert.doesNotMatch(title, /\.$/, name);
    assert.ok(Object.keys(messages).length > 0, name);
  }
});

test("of every rule there is a cluster in which it alone finds something, once", () => {
  const here = import.meta.dirname;
  const files = [here, join(here, "rules")].flatMap((folder) =>
    readdirSync(folder).flatMap((name) =>
      name.endsWith(".test.ts") ? [readFileSync(join(folder, name), "utf8")] : [],
    ),
  );
  // A list of one line, as the tables of the rules' tests expect it.
  const alone = [...files.join("\n").matchAll(/\[\s*"([a-z-]+)\/\w+ (?:error|warning|note) [^"]+",?\s*\]/g)];
  const names = new Set(alone.map(([, name]) => name));
  assert.deepEqual(
    findingRules.filter(({ name }) => !names.has(name)).map(({ name }) => name),
    [],
  );
});
