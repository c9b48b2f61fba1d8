import { listed, spokenSeconds } from "../base/words.ts";
import { aligned, type Cell, cell, type Look, painted, paragraph, printable, type Tone } from "./columns.ts";
import {
  budgetsOf,
  componentHeads,
  notesOf,
  onPathOf,
  partNameOf,
  replicasOf,
  spreadOf,
  survivalOf,
  survivalToneOf,
} from "./component-cells.ts";
import { pathLines } from "./path-line.ts";
import { placeOf } from "./problem-words.ts";
import { clusterLines, gapLines, nameOf, problemLines, storyLines, textOf, timingLines, toneOf } from "./sections.ts";
import { stallLines } from "./stall-lines.ts";
import { storyOf } from "./story.ts";
import { wrapped } from "./text.ts";
import type { CheckEndpoint, CheckReport, Component, FindingReport, ScenarioResult, Survival } from "./types.ts";
import { answerForAll, answerOf, endpointsWorstFirst, nothingToJudge, percent } from "./verdict.ts";

/** For people at a terminal: the answer on the first line, then what it stands on. */
export function checkTable(report: CheckReport, look: Look): string {
  const ordered = endpointsWorstFirst(report);
  return textOf([
    answerLines(ordered, report, look),
    clusterLines(report.cluster, look),
    ...ordered
      .slice(0, mostInFull)
      .flatMap((endpoint) => endpointSections(endpoint, report, ordered.length === 1, look)),
    restLines(ordered.slice(mostInFull), look),
    ordered.length === 1 ? [] : supportingLines(report.supporting, look),
    findingLines(report.findings, look),
    problemLines(report.problems, look),
    gapLines(report.cluster, [...report.notModelled, ...ordered.flatMap((e) => e.notModelled)], look),
    timingLines(report.timing, look),
  ]);
}

function answerLines(endpoints: readonly CheckEndpoint[], report: CheckReport, look: Look): string[] {
  if (endpoints.length === 0) {
    return paragraph(nothingToJudge(report), 2, look, "warn");
  }
  const all = answerForAll(report);
  return [
    ...(all === "" ? [] : paragraph(all, 2, look, "strong")),
    ...endpoints.flatMap((endpoint) =>
      paragraph(`${nameOf(endpoint)} ${answerOf(endpoint)}`, 2, look, toneOf(endpoint.verdict)),
    ),
  ];
}

/** Nobody reads the parts and stories of hundreds of endpoints at a terminal: the worst are shown. */
const mostInFull = 12;

function restLines(rest: readonly CheckEndpoint[], look: Look): string[] {
  const [first] = rest;
  if (first === undefined) return [];
  const others =
    rest.length === 1 ? "The answer for one more is above" : `The answers for ${rest.length} more are above`;
  return paragraph(
    `${others}. \`holdfast check ${nameOf(first)}\` shows one as these are; -o html, markdown and json have all of them.`,
    2,
    look,
    "dim",
  );
}

function endpointSections(endpoint: CheckEndpoint, report: CheckReport, alone: boolean, look: Look): string[][] {
  const parts = alone ? [...endpoint.path, ...report.supporting] : endpoint.path;
  const drawn = pathLines(endpoint.path, look.width);
  return [
    [
      ...paragraph(headingOf(endpoint), 2, look, "strong"),
      ...(drawn.length === 0 ? [] : [...drawn, ""]),
      ...componentLines(parts, look),
    ],
    endpoint.verdict === null ? [] : scenarioLines(endpoint.scenarios, look),
    endpoint.worst === null
      ? []
      : storyLines(
          `What happens to ${nameOf(endpoint)} in ${endpoint.worst.name}:`,
          storyOf(endpoint.worst, nameOf(endpoint)),
          look,
        ),
    endpoint.worst?.verdict === "stalls" ? stallLines(endpoint.worst.stalls, look) : [],
    endpoint.verdict === "safe" ? endpoint.restsOn.flatMap((rest) => paragraph(`Rests on: ${rest.text}`, 2, look)) : [],
  ];
}

function headingOf(endpoint: CheckEndpoint): string {
  const model = endpoint.model === "" || endpoint.model === endpoint.name ? "" : `, model ${endpoint.model}`;
  const floors = endpoint.floor.map((floor) => {
    const role = floor.role === "" ? "" : ` ${floor.role}`;
    return `${floor.minAvailable} of ${floor.desired}${role}`;
  });
  const floor = floors.length === 0 ? "" : `, floor ${floors.join(", ")}`;
  return `${nameOf(endpoint)} (${endpoint.system}${model}), now ${endpoint.now}${floor}`;
}

function componentLines(parts: readonly Component[], look: Look): string[] {
  if (parts.length === 0) return [];
  const heads = componentHeads.map((head) => cell(head.toUpperCase(), "dim"));
  const notes = [...new Set(notesOf(parts))];
  return [
    ...aligned([heads, ...componentRows(parts, look)], "  ", look),
    ...notes.flatMap((note) => paragraph(`  ${note}`, 4, look, "dim")),
  ];
}

/** A row a part; parts on nobody's path that read alike share one, as people would write it: `1 each`. */
function componentRows(parts: readonly Component[], look: Look): Cell[][] {
  const groups = new Map<string, Component[]>();
  for (const part of parts) {
    const cells = componentRow(part).slice(1);
    const key = part.onPath ? `${groups.size}` : cells.map(({ text }) => text).join("\n");
    groups.set(key, [...(groups.get(key) ?? []), part]);
  }
  return [...groups.values()].flatMap((group) => groupRows(group, look));
}

function groupRows(group: readonly Component[], look: Look): Cell[][] {
  const [first] = group;
  if (first === undefined) return [];
  const [name, onPath, replicas, ...rest] = componentRow(first);
  if (group.length === 1 || name === undefined || onPath === undefined || replicas === undefined) {
    return [componentRow(first)];
  }
  // On a terminal the columns wrap; where nothing does, a long list must not push the others away.
  const list = listed(group.map((part) => printable(part.component)));
  const names = wrapped(list, look.width === null ? longestNames : null);
  return names.map((line, index) =>
    index === 0
      ? [cell(line), onPath, { ...replicas, text: `${replicas.text} each` }, ...rest]
      : [cell(line), ...componentHeads.slice(1).map(() => cell(""))],
  );
}

const longestNames = 44;

function componentRow(part: Component): Cell[] {
  const { drainOneNode, cordonAll, zoneLoss } = part.survives;
  return [
    cell(partNameOf(part)),
    cell(onPathOf(part)),
    cell(replicasOf(part), part.outside === "" && part.ready === 0 ? "bad" : "plain"),
    cell(budgetsOf(part)),
    cell(spreadOf(part)),
    survivalCell(drainOneNode, part),
    survivalCell(cordonAll, part),
    survivalCell(zoneLoss, part),
  ];
}

function survivalCell(survival: Survival, part: Component): Cell {
  return cell(survivalOf(survival, part), survivalToneOf(survival, part));
}

function supportingLines(parts: readonly Component[], look: Look): string[] {
  if (parts.length === 0) return [];
  return [painted("On nobody's request path", "strong", look), ...componentLines(parts, look)];
}

function scenarioLines(scenarios: readonly ScenarioResult[], look: Look): string[] {
  if (scenarios.length === 0) return [];
  const heads = ["SCENARIO", "VERDICT", "DOWN FOR", "LEAST CAPACITY", ""].map((head) => cell(head, "dim"));
  const rows = scenarios.map((scenario) => [
    cell(scenario.name),
    cell(scenario.verdict, scenario.partOfVerdict ? toneOf(scenario.verdict) : "plain"),
    cell(downInWords(scenario)),
    cell(percent(scenario.minCapacity)),
    cell(byWhom(scenario), "dim"),
  ]);
  return aligned([heads, ...rows], "  ", look);
}

/** `what-if, by kubectl-drain` */
function byWhom({ actors, partOfVerdict }: ScenarioResult): string {
  return [...(partOfVerdict ? [] : ["what-if"]), ...(actors.length === 0 ? [] : [`by ${actors.join(", ")}`])].join(
    ", ",
  );
}

export function downInWords({ downSeconds: { min, max } }: ScenarioResult): string {
  if (max === 0) return "never";
  if (min === null) return "for good";
  if (max === null) return min === 0 ? "for good, at worst" : `${spokenSeconds(min)}, for good at worst`;
  if (min === max) return spokenSeconds(max);
  return min === 0 ? `up to ${spokenSeconds(max)}` : `${spokenSeconds(min)} to ${spokenSeconds(max)}`;
}

function findingLines(findings: readonly FindingReport[], look: Look): string[] {
  if (findings.length === 0) return [];
  const tones: ReadonlyMap<FindingReport["severity"], Tone> = new Map([
    ["error", "bad"],
    ["warning", "warn"],
    ["note", "dim"],
  ]);
  return [
    painted("Findings", "strong", look),
    ...findings.flatMap((finding) => [
      ...paragraph(
        `  ${finding.code} ${finding.severity}: ${finding.message}`,
        4,
        look,
        tones.get(finding.severity) ?? "plain",
      ),
      ...finding.evidence.flatMap((fact) => paragraph(`    ${fact}`, 6, look, "dim")),
      ...(finding.remedy === "" ? [] : paragraph(`    Do: ${finding.remedy}`, 8, look)),
      ...(finding.source === null ? [] : paragraph(`    At ${placeOf(finding.source)}`, 6, look, "dim")),
    ]),
    ...paragraph("  `holdfast explain CODE` says more about a rule.", 2, look, "dim"),
  ];
}
