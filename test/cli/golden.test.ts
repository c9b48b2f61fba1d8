import { join } from "node:path";
import { test } from "node:test";
import { checkTable } from "../../src/report/check-table.ts";
import { htmlText } from "../../src/report/html.ts";
import { jsonText } from "../../src/report/json.ts";
import { junitText } from "../../src/report/junit.ts";
import { markdownText } from "../../src/report/markdown.ts";
import { sarifText } from "../../src/report/sarif.ts";
import { simulationTable } from "../../src/report/simulation-table.ts";
import { yamlText } from "../../src/report/yaml.ts";
import { checkReport, safeEndpoint, simulationReport } from "./reports.ts";

// Whole reports as people and programs get them. `npm run golden:update` rewrites them; commit a diff you can explain.

const piped = { colour: false, width: null };
const several = { ...checkReport, endpoints: [safeEndpoint, ...checkReport.endpoints] };

const pages: readonly (readonly [string, () => string])[] = [
  ["check.txt", () => checkTable(checkReport, piped)],
  ["check-narrow.txt", () => checkTable(checkReport, { colour: false, width: 80 })],
  ["check-colour.txt", () => checkTable(checkReport, { colour: true, width: 120 })],
  ["check-several.txt", () => checkTable(several, piped)],
  ["check-none.txt", () => checkTable({ ...checkReport, endpoints: [] }, piped)],
  ["check.json", () => jsonText(checkReport)],
  ["check.yaml", () => yamlText(checkReport)],
  ["check.md", () => markdownText(checkReport)],
  ["check.html", () => htmlText(checkReport)],
  ["check.sarif", () => sarifText(checkReport)],
  ["check.xml", () => junitText(checkReport)],
  ["simulation.txt", () => simulationTable(simulationReport, piped)],
  ["simulation.md", () => markdownText(simulationReport)],
  ["simulation.xml", () => junitText(simulationReport)],
];

for (const [name, page] of pages) {
  test(`golden ${name}`, (context) => {
    context.assert.fileSnapshot(page(), join(import.meta.dirname, "golden", name), { serializers: [(text) => text] });
  });
}
