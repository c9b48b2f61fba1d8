import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseScenario } from "../../src/cli/scenario-file.ts";
import { loadPaths } from "../../src/load/from-files.ts";
import type { SimulationReport, TimelineEvent } from "../../src/report/types.ts";
import { simulationReport } from "../support/assess.ts";

/** A transcript: comment, cluster, scenario, and what came of it. The last part is written by `npm run scenarios:update`. */
export interface Transcript {
  readonly input: string;
  readonly output: string;
}

const divider = "----\n";

export function readTranscript(file: string): Transcript {
  const text = readFileSync(file, "utf8");
  const at = text.lastIndexOf(divider);
  if (at < 0) throw new Error(`${file}: no line ---- before the output`);
  return { input: text.slice(0, at), output: text.slice(at + divider.length) };
}

export function writtenTranscript(input: string, output: string): string {
  return `${input}${divider}${output}`;
}

/** Plays the input: `cluster FILE` (beside the transcript, or an example's folder), then a scenario's `spec`. */
export function play(folder: string, { input }: Transcript): string {
  const lines = input.split("\n").filter((line) => !line.startsWith("#"));
  const first = lines.findIndex((line) => line.startsWith("cluster "));
  const cluster = lines[first]?.slice("cluster ".length).trim() ?? "";
  const spec = lines.slice(first + 1).join("\n");
  const yaml = `apiVersion: holdfast.dev/v1alpha1\nkind: Scenario\nmetadata: {name: transcript}\nspec:\n${indented(spec)}`;
  const { scenario, problems } = parseScenario(yaml, "scenario");
  if (scenario === null) throw new Error(problems.map((p) => `${p.line}: ${p.path}: ${p.message}`).join("\n"));
  return told(simulationReport(loadPaths([join(folder, cluster)]), scenario));
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}

function told(report: SimulationReport): string {
  const lines = [`verdict ${report.verdict}, ${report.exhaustive ? "every order and choice" : "not every order"}`];
  for (const { namespace, name, verdict } of report.endpoints) lines.push(`endpoint ${namespace}/${name} ${verdict}`);
  for (const problem of report.problems) lines.push(`problem ${problem.path}: ${problem.message}`);
  for (const event of report.timeline)
    lines.push(`${(event.atSeconds * 1000).toFixed(0).padStart(8)} ms  ${line(event)}`);
  for (const { pod, message } of report.pending) lines.push(`pending ${pod}: ${message}`);
  return `${lines.join("\n")}\n`;
}

function line(event: TimelineEvent): string {
  const { atSeconds: _, type, ...facts } = event;
  const words = Object.values(facts).map((value) =>
    typeof value === "object" ? JSON.stringify(value) : String(value),
  );
  return [type.padEnd(18), ...words.filter((word) => word !== "")].join("  ");
}
