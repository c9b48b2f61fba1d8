import { systems } from "../../systems/registry.ts";
import { type Entry, showCatalog } from "../catalog.ts";
import type { Parsed } from "../flags.ts";
import type { Shell } from "../shell.ts";

export function runSystems(parsed: Parsed, shell: Shell): Promise<number> {
  return showCatalog("system", systemEntries(), parsed, shell);
}

export function systemEntries(): readonly Entry[] {
  return systems.map((system) => ({
    name: system.name,
    code: "",
    title: system.title,
    paragraphs: [system.about],
    facts: [
      {
        head: "Parts requests pass",
        items: unique(system.parts.filter((part) => part.onPath).map((part) => part.component)),
      },
      {
        head: "Parts that only support",
        items: unique(
          system.parts.filter((part) => !part.onPath).map((part) => `${part.component}: ${part.whileGone}`),
        ),
      },
    ],
  }));
}

function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)];
}
