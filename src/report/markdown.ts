import { unreachable } from "../base/invariant.ts";
import { downInWords } from "./check-table.ts";
import { budgetsOf, componentHeads, onPathOf, replicasOf, spreadOf, survivalOf } from "./component-cells.ts";
import { markdownEscaped as md } from "./escape.ts";
import { fixMarkdown } from "./fix-markdown.ts";
import { planMarkdown } from "./plan-markdown.ts";
import { gapInWords, nameOf, placeOf, problemInWords } from "./sections.ts";
import { momentOf, type StoryLine, storyOf, transcriptOf } from "./story.ts";
import { spokenSeconds } from "./text.ts";
import type { CheckEndpoint, CheckReport, Component, Report, SimulationReport } from "./types.ts";
import { answerOf, answerOfSimulation, drainInWords, endpointsWorstFirst, nothingToJudge, percent } from "./verdict.ts";

/** For a pull request's comment or a wiki: the table's content, without its colours. */
export function markdownText(report: Report): string {
  switch (report.kind) {
    case "CheckReport":
      return joined(checkBlocks(report));
    case "SimulationReport":
      return joined(simulationBlocks(report));
    case "FixReport":
      return joined(fixMarkdown(report));
    case "Plan":
      return joined(planMarkdown(report));
    default:
      return unreachable(report);
  }
}

function joined(blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function checkBlocks(report: CheckReport): string[] {
  const endpoints = endpointsWorstFirst(report);
  const alone = endpoints.length === 1;
  return [
    "## Holdfast check",
    endpoints.length === 0
      ? md(nothingToJudge(report))
      : list(endpoints.map((endpoint) => `**${md(nameOf(endpoint))}** ${md(answerOf(endpoint))}`)),
    ...endpoints.flatMap((endpoint) => endpointBlocks(endpoint, alone ? report.supporting : [])),
    ...(alone || report.supporting.length === 0
      ? []
      : ["### On nobody's request path", componentTable(report.supporting)]),
    ...titled("### Findings", findingItems(report)),
    ...titled(
      "### Not read",
      report.problems.map((problem) => md(problemInWords(problem))),
    ),
    ...titled("### Not modelled or not seen", gapItems(report)),
  ];
}

function endpointBlocks(endpoint: CheckEndpoint, supporting: readonly Component[]): string[] {
  const { worst } = endpoint;
  return [
    `### ${md(nameOf(endpoint))}`,
    componentTable([...endpoint.path, ...supporting]),
    endpoint.scenarios.length === 0
      ? ""
      : table(
          ["Scenario", "Verdict", "Down for", "Least capacity"],
          endpoint.scenarios.map((scenario) => [
            `${scenario.name}${scenario.partOfVerdict ? "" : " (what-if)"}`,
            scenario.verdict,
            downInWords(scenario),
            percent(scenario.minCapacity),
          ]),
        ),
    ...(worst === null ? [] : storyBlocks(`What happens in ${worst.name}`, storyOf(worst, nameOf(endpoint)))),
    endpoint.restsOn.length === 0 ? "" : list(endpoint.restsOn.map((rest) => `Rests on: ${md(rest.text)}`)),
  ];
}

function componentTable(parts: readonly Component[]): string {
  if (parts.length === 0) return "";
  return table(
    componentHeads,
    parts.map((part) => [
      part.role === "" ? part.component : `${part.component} (${part.role})`,
      onPathOf(part),
      replicasOf(part),
      budgetsOf(part),
      spreadOf(part),
      survivalOf(part.survives.drainOneNode, part),
      survivalOf(part.survives.cordonAll, part),
      survivalOf(part.survives.zoneLoss, part),
    ]),
  );
}

function storyBlocks(title: string, story: readonly StoryLine[]): string[] {
  if (story.length === 0) return [];
  return [
    `${md(title)}:`,
    table(
      ["At", ""],
      story.map((line) => [momentOf(line), line.text]),
    ),
  ];
}

function findingItems(report: CheckReport): string[] {
  return report.findings.map((finding) => {
    const where = finding.source === null ? "" : ` (${md(placeOf(finding.source))})`;
    const remedy = finding.remedy === "" ? "" : `<br>Do: ${md(finding.remedy)}`;
    const evidence = finding.evidence.map((fact) => `<br>${md(fact)}`).join("");
    return `**${md(finding.code)} ${finding.severity}** ${md(finding.message)}${where}${evidence}${remedy}`;
  });
}

function gapItems(report: CheckReport): string[] {
  const gaps = [...report.notModelled, ...report.endpoints.flatMap((endpoint) => endpoint.notModelled)];
  return [
    ...new Set([
      ...report.cluster.notSeen.map((entry) => md(`not seen: ${entry.resource} (${entry.why})`)),
      ...gaps.map((gap) => md(gapInWords(gap))),
    ]),
  ];
}

function simulationBlocks(report: SimulationReport): string[] {
  return [
    "## Holdfast simulation",
    md(answerOfSimulation(report)),
    report.endpoints.length === 0
      ? ""
      : table(
          ["Endpoint", "Verdict", "Least capacity"],
          report.endpoints.map((endpoint) => [
            `${endpoint.namespace}/${endpoint.name}`,
            endpoint.verdict ?? "idle",
            percent(endpoint.minCapacity),
          ]),
        ),
    ...storyBlocks("What happens", transcriptOf(report.timeline).slice(0, 400)),
    ...titled(
      "### Drains",
      report.drains.map((drain) => md(drainInWords(drain))),
    ),
    ...titled(
      "### Pending at the end",
      report.pending.map((pod) => md(`${pod.pod} since ${spokenSeconds(pod.sinceSeconds)}: ${pod.message}`)),
    ),
    ...titled(
      "### Not read",
      report.problems.map((problem) => md(problemInWords(problem))),
    ),
  ];
}

function titled(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [title, list(items)];
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(md).join(" | ")} |`;
  return [line(heads), `|${heads.map(() => " --- |").join("")}`, ...rows.map(line)].join("\n");
}
