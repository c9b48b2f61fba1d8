import assert from "node:assert/strict";
import { test } from "node:test";
import { checkReport, simulationReport } from "../../test/cli/reports.ts";
import { markdownText } from "./markdown.ts";

const gap = { what: "pods of another scheduler", ref: "serving/m1", couldChange: "where they go" };
const problem = { file: "a.yaml", line: 3, path: "spec", message: "is no object" };
const unread = { notModelled: [gap], problems: [problem] };

test("what was not read and not modelled ends every report on paper", () => {
  for (const report of [checkReport, simulationReport]) {
    const cluster = { ...report.cluster, notSeen: [{ resource: "quotas", why: "forbidden" }] };
    const text = markdownText({ ...report, cluster, ...unread });
    assert.match(text, /Not read\n\n- .*is no object/);
    assert.match(text, /Not modelled or not seen\n\n- not seen: quotas \(forbidden\)\n- pods of another scheduler/);
  }
});

test("and nothing is said where nothing is missing", () => {
  const bare = { notModelled: [], problems: [] };
  const cluster = { ...simulationReport.cluster, notSeen: [], secretsDropped: 0 };
  assert.doesNotMatch(markdownText({ ...simulationReport, cluster, ...bare }), /Not (read|modelled)/);
});
