import { type Entry, showCatalog } from "../catalog.ts";
import { exit } from "../errors.ts";
import type { Parsed } from "../flags.ts";
import type { Shell } from "../shell.ts";

export function runExplain(parsed: Parsed, shell: Shell): Promise<number> {
  const entries = ruleEntries();
  if (entries.length > 0) return showCatalog("rule", entries, parsed, shell);
  shell.err("holdfast explain: findings are not there yet, so there is no rule to explain.\n");
  return Promise.resolve(exit.usage);
}

export function ruleEntries(): readonly Entry[] {
  return [];
}
