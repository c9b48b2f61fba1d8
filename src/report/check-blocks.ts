import { type Block, type Item, line, list, title, titledList, words } from "./blocks.ts";
import { downInWords } from "./check-table.ts";
import { type Cell, cell } from "./columns.ts";
import {
  budgetsOf,
  componentHeads,
  onPathOf,
  partNameOf,
  replicasOf,
  spreadOf,
  survivalOf,
  survivalToneOf,
} from "./component-cells.ts";
import { placeOf } from "./problem-words.ts";
import { clusterInWords, nameOf, toneOf } from "./sections.ts";
import { stallBlocks } from "./stall-lines.ts";
import { momentsOf, type StoryLine, storyOf } from "./story.ts";
import type { CheckEndpoint, CheckReport, Component, FindingReport, Survival } from "./types.ts";
import { unreadBlocks } from "./unread-blocks.ts";
import { answerForAll, answerOf, endpointsWorstFirst, nothingToJudge, percent } from "./verdict.ts";

export function checkBlocks(report: CheckReport): readonly Block[] {
  const endpoints = endpointsWorstFirst(report);
  const alone = endpoints.length === 1;
  return [
    title(1, "Holdfast check"),
    ...answerBlocks(report, endpoints),
    words(clusterInWords(report.cluster).join(" "), "dim"),
    ...endpoints.flatMap((endpoint) => endpointBlocks(endpoint, alone ? report.supporting : [])),
    ...(alone || report.supporting.length === 0
      ? []
      : [title(2, "On nobody's request path"), componentTable(report.supporting)]),
    ...titledList("Findings", report.findings.map(findingItem)),
    ...unreadBlocks({
      ...report,
      notModelled: [...report.notModelled, ...report.endpoints.flatMap((endpoint) => endpoint.notModelled)],
    }),
  ];
}

function answerBlocks(report: CheckReport, endpoints: readonly CheckEndpoint[]): readonly Block[] {
  if (endpoints.length === 0) return [words(nothingToJudge(report), "warn")];
  const all = answerForAll(report);
  return [...(all === "" ? [] : [words(all, "strong")]), list(endpoints.map(answerItem))];
}

function answerItem(endpoint: CheckEndpoint): Item {
  return [[cell(nameOf(endpoint), "strong"), cell(" "), cell(answerOf(endpoint), toneOf(endpoint.verdict))]];
}

function endpointBlocks(endpoint: CheckEndpoint, supporting: readonly Component[]): readonly Block[] {
  const { worst } = endpoint;
  return [
    title(2, nameOf(endpoint)),
    { kind: "path", endpoint },
    ...(endpoint.path.length + supporting.length === 0 ? [] : [componentTable([...endpoint.path, ...supporting])]),
    // What is idle is not judged, and a table of verdicts would say it was.
    ...(endpoint.scenarios.length === 0 || endpoint.verdict === null ? [] : [scenarioTable(endpoint)]),
    ...(worst === null
      ? []
      : [
          words(`What happens in ${worst.name}:`),
          { kind: "course" as const, endpoint: nameOf(endpoint), trace: worst },
          ...storyTable(storyOf(worst, nameOf(endpoint))),
          ...(worst.verdict === "stalls" ? stallBlocks(worst.stalls) : []),
        ]),
    ...(endpoint.restsOn.length === 0 ? [] : [list(endpoint.restsOn.map((rest) => line(`Rests on: ${rest.text}`)))]),
  ];
}

function scenarioTable(endpoint: CheckEndpoint): Block {
  return {
    kind: "table",
    heads: ["Scenario", "By", "Verdict", "Down for", "Least capacity"],
    rows: endpoint.scenarios.map((scenario) => [
      cell(`${scenario.name}${scenario.partOfVerdict ? "" : " (what-if)"}`),
      cell(scenario.actors.join(", ")),
      cell(scenario.verdict, scenario.partOfVerdict ? toneOf(scenario.verdict) : "plain"),
      cell(downInWords(scenario)),
      cell(percent(scenario.minCapacity)),
    ]),
  };
}

function componentTable(parts: readonly Component[]): Block {
  const survival = (value: Survival, part: Component): Cell =>
    cell(survivalOf(value, part), survivalToneOf(value, part));
  return {
    kind: "table",
    heads: componentHeads,
    rows: parts.map((part) => [
      cell(partNameOf(part)),
      cell(onPathOf(part)),
      cell(replicasOf(part), part.outside === "" && part.ready === 0 ? "bad" : "plain"),
      cell(budgetsOf(part)),
      cell(spreadOf(part)),
      survival(part.survives.drainOneNode, part),
      survival(part.survives.cordonAll, part),
      survival(part.survives.zoneLoss, part),
    ]),
  };
}

/** Nothing where nothing happens. */
export function storyTable(story: readonly StoryLine[]): readonly Block[] {
  if (story.length === 0) return [];
  const moments = momentsOf(story);
  const rows = story.map(({ text, tone }, index) => [cell(moments[index] ?? ""), cell(text, tone)]);
  return [{ kind: "table", heads: ["At", ""], rows }];
}

const severityTones = { error: "bad", warning: "warn", note: "plain" } as const;

function findingItem(finding: FindingReport): Item {
  const where = finding.source === null ? "" : ` (${placeOf(finding.source)})`;
  return [
    [
      cell(`${finding.code} ${finding.severity}`, "strong"),
      cell(" "),
      cell(finding.message, severityTones[finding.severity]),
      cell(where, "dim"),
    ],
    ...finding.evidence.map((fact) => [cell(fact, "dim")]),
    ...(finding.remedy === "" ? [] : [[cell("Do: "), cell(finding.remedy)]]),
  ];
}
