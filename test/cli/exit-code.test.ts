import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkExit, type ExitRules, simulationExit } from "../../src/cli/exit-code.ts";
import type { CheckReport, Severity, SimulationReport } from "../../src/report/types.ts";
import { checkReport, safeEndpoint, simulationReport, unsafeEndpoint } from "./reports.ts";

const clean: CheckReport = { ...checkReport, problems: [], findings: [], endpoints: [safeEndpoint] };
const rules: ExitRules = { strict: false, failOn: "error", live: false };

function verdicts(...all: readonly CheckReport["endpoints"][number]["verdict"][]): CheckReport {
  return { ...clean, endpoints: all.map((verdict) => ({ ...unsafeEndpoint, verdict })) };
}

function finding(severity: Severity): CheckReport {
  return { ...clean, findings: checkReport.findings.map((one) => ({ ...one, severity })) };
}

const empty: CheckReport = { ...clean, endpoints: [], cluster: { ...clean.cluster, nodes: 0, pods: 0 } };

describe("exit code of check", () => {
  const rows: readonly (readonly [string, CheckReport, Partial<ExitRules>, number])[] = [
    ["safe", clean, {}, 0],
    ["nothing to judge", { ...clean, endpoints: [] }, {}, 0],
    ["idle", verdicts(null), {}, 0],
    ["unsafe", verdicts("safe", "unsafe"), {}, 1],
    ["stalls", verdicts("stalls"), {}, 1],
    ["undecided", verdicts("undecided", "safe"), {}, 4],
    ["unsafe goes before undecided", verdicts("undecided", "unsafe"), {}, 1],
    ["unsafe, never", verdicts("unsafe"), { failOn: "never" }, 0],
    ["undecided, never", verdicts("undecided", "unsafe"), { failOn: "never" }, 4],
    ["error", finding("error"), {}, 1],
    ["warning", finding("warning"), {}, 0],
    ["warning from warning on", finding("warning"), { failOn: "warning" }, 1],
    ["note from warning on", finding("note"), { failOn: "warning" }, 0],
    ["note from note on", finding("note"), { failOn: "note" }, 1],
    ["error, never", finding("error"), { failOn: "never" }, 0],
    ["problems", { ...clean, problems: checkReport.problems }, {}, 0],
    ["problems, strict", { ...verdicts("unsafe"), problems: checkReport.problems }, { strict: true }, 2],
    ["no problems, strict", clean, { strict: true }, 0],
    ["no input", empty, {}, 2],
    ["a cluster that shows nothing", empty, { live: true }, 3],
    ["a cluster too little permitted to judge", verdicts("undecided"), { live: true }, 3],
    ["one of two judged", verdicts("undecided", "safe"), { live: true }, 4],
  ];
  for (const [name, report, changed, code] of rows) {
    test(`${name}: ${code}`, () => assert.equal(checkExit(report, { ...rules, ...changed }), code));
  }
});

describe("exit code of simulate", () => {
  const judged = (verdict: SimulationReport["verdict"]): SimulationReport => ({
    ...simulationReport,
    verdict,
    endpoints: [],
  });
  const rows: readonly (readonly [SimulationReport["verdict"], Partial<ExitRules>, number])[] = [
    ["safe", {}, 0],
    ["unsafe", {}, 1],
    ["stalls", {}, 1],
    ["stalls", { failOn: "never" }, 0],
    ["undecided", {}, 4],
  ];
  for (const [verdict, changed, code] of rows) {
    test(`${verdict} ${JSON.stringify(changed)}: ${code}`, () =>
      assert.equal(simulationExit(judged(verdict), { ...rules, ...changed }), code));
  }
});
