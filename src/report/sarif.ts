import { printable } from "./columns.ts";
import { jsonText } from "./json.ts";
import { problemInWords } from "./problem-words.ts";
import { nameOf } from "./sections.ts";
import type { CheckReport, FindingReport } from "./types.ts";
import { answerOf } from "./verdict.ts";

/** SARIF 2.1.0: findings at the lines of the manifests they come from, for code scanning. */
export function sarifText(report: CheckReport): string {
  const rules = [...new Map(report.findings.map((finding) => [finding.code, finding])).values()].sort((a, b) =>
    a.code < b.code ? -1 : 1,
  );
  const results = report.findings.map((finding) =>
    resultOf(
      finding,
      rules.findIndex((rule) => rule.code === finding.code),
    ),
  );
  return jsonText(log(rules.map(ruleOf), results, notificationsOf(report), report.tool.version));
}

function log(
  rules: readonly unknown[],
  results: readonly unknown[],
  notifications: readonly unknown[],
  version: string,
): unknown {
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "holdfast", version, rules } },
        invocations: [{ executionSuccessful: true, toolExecutionNotifications: notifications }],
        results,
      },
    ],
  };
}

function ruleOf(finding: FindingReport): unknown {
  return {
    id: finding.code,
    name: finding.rule,
    shortDescription: { text: finding.rule },
    help: { text: `holdfast explain ${finding.rule}` },
  };
}

function resultOf(finding: FindingReport, ruleIndex: number): unknown {
  const parts = [finding.message, ...finding.evidence, finding.remedy === "" ? "" : `Do: ${finding.remedy}`];
  const about = finding.component !== "" ? finding.component : finding.endpoint;
  return {
    ruleId: finding.code,
    ruleIndex,
    level: finding.severity,
    message: {
      text: parts
        .filter((part) => part !== "")
        .map(printable)
        .join("\n"),
    },
    locations: [
      {
        ...(finding.source === null ? {} : { physicalLocation: locationOf(finding.source) }),
        logicalLocations: [{ fullyQualifiedName: printable(about), kind: "resource" }],
      },
    ],
    // The line may move; the object and the rule do not.
    partialFingerprints: { "holdfast/v1": printable(`${finding.code}:${finding.endpoint}:${finding.component}`) },
  };
}

function locationOf(source: { readonly file: string; readonly line: number | null }): unknown {
  return {
    artifactLocation: { uri: uriOf(source.file) },
    ...(source.line === null ? {} : { region: { startLine: source.line } }),
  };
}

/** A relative reference, each segment percent-encoded. */
function uriOf(file: string): string {
  return file
    .replace(/^\.\//, "")
    .split("/")
    .map((segment) => encodeURIComponent(segment.toWellFormed()))
    .join("/");
}

/** Verdicts and unread input have no line that is at fault: they are notes on the run. */
function notificationsOf(report: CheckReport): readonly unknown[] {
  const verdicts = report.endpoints.map((endpoint) => ({
    level: endpoint.verdict === "unsafe" || endpoint.verdict === "stalls" ? "error" : "note",
    message: { text: printable(`${nameOf(endpoint)} ${answerOf(endpoint)}`) },
  }));
  const problems = report.problems.map((problem) => ({
    level: "warning",
    message: { text: printable(problemInWords(problem)) },
  }));
  return [...verdicts, ...problems];
}
