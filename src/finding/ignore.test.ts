import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding } from "./finding.ts";
import { type IgnoreRule, notIgnored } from "./ignore.ts";

const finding: Finding = {
  rule: "single-replica",
  code: "HF001",
  id: "single",
  severity: "error",
  endpoint: "serving/chat",
  component: "Deployment serving/picker",
  message: "",
  remedy: "",
  evidence: [],
  source: null,
};
const rule = (over: Partial<IgnoreRule>): IgnoreRule => ({
  rule: "single-replica",
  match: "*",
  reason: "known",
  until: "",
  ...over,
});

for (const [what, over, left] of [
  ["by name, everywhere", {}, 0],
  ["by code", { rule: "HF001" }, 0],
  ["another rule", { rule: "no-budget" }, 1],
  ["by endpoint", { match: "serving/*" }, 0],
  ["by component", { match: "serving/picker" }, 0],
  ["elsewhere", { match: "other/*" }, 1],
  ["its last day", { until: "2026-11-30" }, 0],
  ["the day after", { until: "2026-11-29" }, 1],
  ["a dot is a dot", { match: "serving/pic.er" }, 1],
] as const) {
  test(what, () => assert.equal(notIgnored([finding], [rule(over)], "2026-11-30").length, left));
}
