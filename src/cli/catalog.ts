import { closest } from "../base/closest.ts";
import { aligned, cell, paragraph } from "../report/columns.ts";
import { jsonText } from "../report/json.ts";
import { yamlText } from "../report/yaml.ts";
import { exit, UsageError } from "./errors.ts";
import type { Parsed } from "./flags.ts";
import type { Shell } from "./shell.ts";

/** A page of reference in the terminal: actors, systems and rules are shown alike. */
export interface Entry {
  readonly name: string;
  /** Another name for it: a rule's code. "" none. */
  readonly code: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly facts: readonly { readonly head: string; readonly items: readonly string[] }[];
}

/** Lists all, or shows the one that is named. */
export async function showCatalog(
  what: string,
  entries: readonly Entry[],
  parsed: Parsed,
  shell: Shell,
): Promise<number> {
  const [name] = parsed.operands;
  const chosen = name === undefined ? entries : [entryNamed(what, name, entries)];
  switch (parsed.text("output")) {
    case "json":
      await shell.out(jsonText(name === undefined ? chosen : chosen[0]));
      break;
    case "yaml":
      await shell.out(yamlText(name === undefined ? chosen : chosen[0]));
      break;
    default:
      await shell.out(
        `${(name === undefined ? listing(entries, shell) : chosen.flatMap((entry) => page(entry, shell))).join("\n")}\n`,
      );
  }
  return exit.fine;
}

function entryNamed(what: string, name: string, entries: readonly Entry[]): Entry {
  const wanted = name.toLowerCase();
  const found = entries.find((entry) => entry.name.toLowerCase() === wanted || entry.code.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const near = closest(
    name,
    entries.flatMap((entry) => (entry.code === "" ? [entry.name] : [entry.name, entry.code])),
  );
  throw new UsageError(`there is no ${what} "${name}"${near === null ? "" : `; did you mean ${near}?`}`);
}

function listing(entries: readonly Entry[], shell: Shell): string[] {
  const rows = entries.map((entry) => [
    ...(entries.some((other) => other.code !== "") ? [cell(entry.code)] : []),
    cell(entry.name, "strong"),
    cell(entry.title),
  ]);
  return aligned(rows, "", shell.look);
}

function page(entry: Entry, shell: Shell): string[] {
  const { look } = shell;
  return [
    ...paragraph(`${entry.code === "" ? "" : `${entry.code} `}${entry.name}: ${entry.title}`, 0, look, "strong"),
    ...entry.paragraphs.flatMap((text) => ["", ...paragraph(text, 0, look)]),
    ...entry.facts
      .filter((fact) => fact.items.length > 0)
      .flatMap((fact) => [
        "",
        ...paragraph(`${fact.head}:`, 2, look),
        ...fact.items.flatMap((item) => paragraph(`  ${item}`, 4, look)),
      ]),
  ];
}
