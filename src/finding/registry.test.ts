import assert from "node:assert/strict";
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
