import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { unreachable } from "../base/invariant.ts";
import type { Look } from "../report/columns.ts";
import type { Report } from "../report/types.ts";
import { UsageError } from "./errors.ts";
import type { Format, Parsed } from "./flags.ts";
import { whyNot } from "./read-text.ts";
import type { Shell } from "./shell.ts";

/** `-o`; table when not given. */
export function formatOf(parsed: Parsed): Format {
  const text = parsed.text("output");
  switch (text) {
    case "json":
    case "yaml":
    case "markdown":
    case "html":
    case "sarif":
    case "junit":
      return text;
    default:
      return "table";
  }
}

/** Writes the report to where it was asked for. */
export async function writeReport(report: Report, parsed: Parsed, shell: Shell): Promise<void> {
  const file = parsed.text("output-file");
  const plain: Look = { colour: false, width: null };
  const text = await rendered(report, formatOf(parsed), file === "" ? shell.look : plain);
  await writeText(text, parsed, shell);
}

export async function writeText(text: string, parsed: Parsed, shell: Shell): Promise<void> {
  const file = parsed.text("output-file");
  if (file === "") return shell.out(text);
  try {
    writeFileSync(resolve(shell.folder, file), text);
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${whyNot(error)}`);
  }
}

async function rendered(report: Report, format: Format, look: Look): Promise<string> {
  switch (format) {
    case "json":
      return (await import("../report/json.ts")).jsonText(report);
    case "yaml":
      return (await import("../report/yaml.ts")).yamlText(report);
    case "markdown":
      return (await import("../report/markdown.ts")).markdownText(report);
    case "html":
      return (await import("../report/html.ts")).htmlText(report);
    case "sarif":
      if (report.kind !== "CheckReport") throw new UsageError("-o sarif is for check: it carries findings");
      return (await import("../report/sarif.ts")).sarifText(report);
    case "junit":
      return (await import("../report/junit.ts")).junitText(report);
    default:
      return tableText(report, look);
  }
}

async function tableText(report: Report, look: Look): Promise<string> {
  switch (report.kind) {
    case "CheckReport":
      return (await import("../report/check-table.ts")).checkTable(report, look);
    case "SimulationReport":
      return (await import("../report/simulation-table.ts")).simulationTable(report, look);
    case "FixReport":
      return (await import("../report/fix-table.ts")).fixTable(report, look);
    case "Plan":
      return (await import("../report/plan-table.ts")).planTable(report, look);
    default:
      return unreachable(report);
  }
}
