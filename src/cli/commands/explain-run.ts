import { findingRules } from "../../finding/registry.ts";
import { type Entry, showCatalog } from "../catalog.ts";
import type { Parsed } from "../flags.ts";
import type { Shell } from "../shell.ts";

export function runExplain(parsed: Parsed, shell: Shell): Promise<number> {
  return showCatalog("rule", ruleEntries(), parsed, shell);
}

export function ruleEntries(): readonly Entry[] {
  return findingRules.map((rule) => ({
    name: rule.name,
    code: rule.code,
    title: rule.title,
    paragraphs: rule.explain.split("\n\n"),
    facts: [],
  }));
}
