import { unreachable } from "../base/invariant.ts";
import { downInWords } from "./check-table.ts";
import { xmlEscaped as xml } from "./escape.ts";
import { planDoubt } from "./plan-doubt.ts";
import { answerOfPlan } from "./plan-table.ts";
import { placeOf, problemInWords } from "./problem-words.ts";
import { gapInWords, nameOf } from "./sections.ts";
import { storyOf, storyTexts, transcriptOf } from "./story.ts";
import type {
  CheckEndpoint,
  CheckReport,
  FindingReport,
  Plan,
  Report,
  ScenarioResult,
  SimulationReport,
  Verdict,
} from "./types.ts";
import { answerOf, answerOfSimulation } from "./verdict.ts";

interface Case {
  readonly suite: string;
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly message: string;
  readonly text: string;
}

/** JUnit XML for pipelines: an endpoint is a suite, a scenario a test; findings are a suite of their own. What-ifs never fail. */
export function junitText(report: Report): string {
  const cases = casesOf(report);
  const suites = [...new Set(cases.map((entry) => entry.suite))];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="holdfast"${counts(cases)}>`,
    ...suites.flatMap((suite) =>
      suiteLines(
        suite,
        cases.filter((entry) => entry.suite === suite),
      ),
    ),
    "</testsuites>",
    "",
  ].join("\n");
}

function casesOf(report: Report): readonly Case[] {
  switch (report.kind) {
    case "CheckReport":
      return checkCases(report);
    case "SimulationReport":
      return simulationCases(report);
    case "FixReport":
      return report.after.map(({ endpoint, verdict, because }) => ({
        suite: "fix",
        name: endpoint,
        outcome: verdict === null ? "skipped" : outcomeOf(verdict),
        message: because === "" ? (verdict ?? "idle") : because,
        text: "",
      }));
    case "Plan":
      return [planCase(report)];
    default:
      return unreachable(report);
  }
}

function planCase(plan: Plan): Case {
  const isSure = planDoubt(plan) === null;
  return {
    suite: "plan",
    name: plan.nodes.join(", "),
    outcome: !plan.possible ? "failed" : isSure ? "passed" : "skipped",
    message: answerOfPlan(plan),
    text: "",
  };
}

function checkCases(report: CheckReport): readonly Case[] {
  return [
    ...report.endpoints.flatMap(endpointCases),
    ...report.findings.map(findingCase),
    ...report.problems.map(
      (problem): Case => ({
        suite: "input",
        name: problem.file === "" ? "input" : placeOf(problem),
        outcome: "skipped",
        message: problemInWords(problem),
        text: "",
      }),
    ),
  ];
}

function endpointCases(endpoint: CheckEndpoint): readonly Case[] {
  const suite = nameOf(endpoint);
  const verdict: Case = {
    suite,
    name: "verdict",
    outcome: endpoint.verdict === null ? "skipped" : outcomeOf(endpoint.verdict),
    message: `${suite} ${answerOf(endpoint)}`,
    text: [...storyText(endpoint), ...endpoint.notModelled.map(gapInWords)].join("\n"),
  };
  return [verdict, ...endpoint.scenarios.map((scenario) => scenarioCase(scenario, suite))];
}

function scenarioCase(scenario: ScenarioResult, suite: string): Case {
  return {
    suite,
    name: scenario.partOfVerdict ? scenario.name : `${scenario.name} (what-if)`,
    outcome: scenario.partOfVerdict ? outcomeOf(scenario.verdict) : scenario.verdict === "safe" ? "passed" : "skipped",
    message: `${scenario.verdict}, down: ${downInWords(scenario)}`,
    text: "",
  };
}

function findingCase(finding: FindingReport): Case {
  return {
    suite: "findings",
    name: `${finding.code} ${finding.rule} ${finding.component}`.trim(),
    outcome: finding.severity === "error" ? "failed" : finding.severity === "warning" ? "skipped" : "passed",
    message: finding.message,
    text: [...finding.evidence, finding.remedy, finding.source === null ? "" : placeOf(finding.source)]
      .filter((line) => line !== "")
      .join("\n"),
  };
}

function simulationCases(report: SimulationReport): readonly Case[] {
  const suite = report.scenario.metadata.name === "" ? "simulation" : report.scenario.metadata.name;
  const story = transcriptOf(report.timeline).slice(0, 400);
  return [
    {
      suite,
      name: "verdict",
      outcome: outcomeOf(report.verdict),
      message: answerOfSimulation(report),
      text: storyTexts(story).join("\n"),
    },
    ...report.endpoints.map(
      (endpoint): Case => ({
        suite,
        name: `${endpoint.namespace}/${endpoint.name}`,
        outcome: endpoint.verdict === null ? "skipped" : outcomeOf(endpoint.verdict),
        message: endpoint.verdict ?? "idle",
        text: endpoint.down.map((down) => `${down.hop}: ${down.because}`).join("\n"),
      }),
    ),
  ];
}

function storyText({ worst, namespace, name }: CheckEndpoint): readonly string[] {
  return worst === null ? [] : storyTexts(storyOf(worst, `${namespace}/${name}`));
}

function outcomeOf(verdict: Verdict): Case["outcome"] {
  if (verdict === "safe") return "passed";
  return verdict === "undecided" ? "skipped" : "failed";
}

function counts(cases: readonly Case[]): string {
  const failed = cases.filter((entry) => entry.outcome === "failed").length;
  const skipped = cases.filter((entry) => entry.outcome === "skipped").length;
  return ` tests="${cases.length}" failures="${failed}" errors="0" skipped="${skipped}"`;
}

function suiteLines(suite: string, cases: readonly Case[]): readonly string[] {
  return [
    `  <testsuite name="${xml(suite)}"${counts(cases)}>`,
    ...cases.flatMap((entry) => caseLines(entry)),
    "  </testsuite>",
  ];
}

function caseLines({ suite, name, outcome, message, text }: Case): readonly string[] {
  const open = `    <testcase classname="${xml(suite)}" name="${xml(name)}"`;
  const body = text.split("\n").map(xml).join("\n");
  if (outcome === "passed") return [`${open}/>`];
  const inner =
    outcome === "failed"
      ? `      <failure message="${xml(message)}">${body}</failure>`
      : `      <skipped message="${xml(message)}"/>`;
  return [`${open}>`, inner, "    </testcase>"];
}
