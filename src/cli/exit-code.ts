import { planDoubt } from "../report/plan-doubt.ts";
import type {
  CheckReport,
  EndpointVerdict,
  FixReport,
  Plan,
  Report,
  Severity,
  SimulationReport,
} from "../report/types.ts";
import { exit } from "./errors.ts";

export type FailOn = Severity | "never";

export interface ExitRules {
  readonly strict: boolean;
  readonly failOn: FailOn;
  /** Read through an API server: what was not seen was not permitted. */
  readonly live: boolean;
}

/** First that applies: 2, 3, 1, 4, 0. */
export function checkExit(report: CheckReport, rules: ExitRules): number {
  const early = inputExit(report, rules);
  if (early !== null) return early;
  const verdicts = report.endpoints.map((endpoint) => endpoint.verdict);
  const nothingJudged = verdicts.every((verdict) => verdict === "undecided");
  if (rules.live && nothingJudged && report.cluster.notSeen.length > 0) return exit.unreachable;
  if (rules.failOn !== "never") {
    const findings = report.findings.some((finding) => atLeast(finding.severity, rules.failOn));
    if (findings || verdicts.some(isBroken)) return exit.verdict;
  }
  return verdicts.includes("undecided") ? exit.undecided : exit.fine;
}

export function simulationExit(report: SimulationReport, rules: ExitRules): number {
  const early = inputExit(report, rules);
  if (early !== null) return early;
  const verdicts = [report.verdict, ...report.endpoints.map((endpoint) => endpoint.verdict)];
  if (rules.failOn !== "never" && verdicts.some(isBroken)) return exit.verdict;
  return verdicts.includes("undecided") ? exit.undecided : exit.fine;
}

/** What counts is what is left when everything proposed is done. */
export function fixExit(report: FixReport, rules: ExitRules): number {
  const early = inputExit(report, rules);
  if (early !== null) return early;
  const verdicts = report.after.map(({ verdict }) => verdict);
  if (rules.failOn !== "never" && verdicts.some(isBroken)) return exit.verdict;
  return verdicts.includes("undecided") ? exit.undecided : exit.fine;
}

export function planExit(report: Plan, rules: ExitRules): number {
  const early = inputExit(report, rules);
  if (early !== null) return early;
  if (!report.possible) return rules.failOn === "never" ? exit.fine : exit.verdict;
  return planDoubt(report) === null ? exit.fine : exit.undecided;
}

function inputExit({ problems, cluster }: Pick<Report, "problems" | "cluster">, rules: ExitRules): number | null {
  if (rules.strict && problems.length > 0) return exit.usage;
  if (cluster.nodes > 0) return null;
  return rules.live ? exit.unreachable : exit.usage;
}

function isBroken(verdict: EndpointVerdict): boolean {
  return verdict === "unsafe" || verdict === "stalls";
}

const order: readonly Severity[] = ["note", "warning", "error"];

function atLeast(severity: Severity, floor: FailOn): boolean {
  return floor !== "never" && order.indexOf(severity) >= order.indexOf(floor);
}
