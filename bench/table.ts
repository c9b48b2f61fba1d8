import type { Figure, Figures } from "./main.ts";

const columns: readonly (readonly [string, (figure: Figure) => string])[] = [
  ["step", ({ stage }) => stage],
  ["layout", ({ layout }) => layout],
  ["nodes", ({ nodes }) => String(nodes)],
  ["pods", ({ pods }) => String(pods)],
  ["MB", ({ megabytes }) => String(megabytes)],
  ["CPU s", ({ cpuSeconds }) => String(cpuSeconds)],
  ["with helpers", ({ processCpuSeconds }) => String(processCpuSeconds)],
  ["wall s", ({ wallSeconds }) => String(wallSeconds)],
  ["peak MB", ({ peakMegabytes }) => String(peakMegabytes)],
  ["of JSON.parse", ({ ofJsonParse }) => (ofJsonParse === null ? "" : String(ofJsonParse))],
  ["growth", ({ growth }) => (growth === null ? "" : String(growth))],
];

/** The figures as a Markdown table. */
export function figuresTable({ figures }: Figures): string {
  const rows = [columns.map(([title]) => title), columns.map(() => "---")];
  for (const figure of figures) rows.push(columns.map(([, cell]) => cell(figure)));
  return `${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}\n`;
}
