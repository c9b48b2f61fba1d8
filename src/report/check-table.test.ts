import assert from "node:assert/strict";
import { test } from "node:test";
import { checkReport } from "../../test/cli/reports.ts";
import { checkTable } from "./check-table.ts";
import type { CheckReport, EndpointVerdict } from "./types.ts";
import { answerForAll } from "./verdict.ts";

const piped = { colour: false, width: null };

function reportOn(verdicts: readonly EndpointVerdict[]): CheckReport {
  const [endpoint] = checkReport.endpoints;
  assert.ok(endpoint !== undefined);
  return {
    ...checkReport,
    endpoints: verdicts.map((verdict, n) => ({ ...endpoint, namespace: "ns", name: `m${n}`, verdict })),
  };
}

const rows: readonly (readonly [readonly EndpointVerdict[], string])[] = [
  [[], ""],
  [["unsafe"], ""],
  [["safe", "safe"], "Both model endpoints are safe."],
  [["stalls", "stalls", "stalls"], "All 3 model endpoints stall the maintenance: ns/m0, ns/m1 and ns/m2."],
  [["safe", "unsafe"], "Of 2 model endpoints 1 is unsafe (ns/m1) and 1 is safe."],
  [["unsafe", "unsafe", "unsafe", "unsafe"], "All 4 model endpoints are unsafe."],
  [
    ["safe", null, "undecided", "unsafe", "stalls", "unsafe"],
    "Of 6 model endpoints 2 are unsafe (ns/m3 and ns/m5), 1 stalls the maintenance (ns/m4), 1 is undecided (ns/m2), 1 is safe and 1 is idle.",
  ],
];

for (const [verdicts, sentence] of rows) {
  test(`the answer for ${verdicts.length === 0 ? "no endpoint" : verdicts.join(", ")}`, () => {
    assert.equal(answerForAll(reportOn(verdicts)), sentence);
  });
}

test("of many endpoints all are answered, and the worst told in full", () => {
  const report = reportOn([...Array<EndpointVerdict>(20).fill("safe"), "unsafe"]);
  const text = checkTable(report, piped);
  assert.match(text, /^Of 21 model endpoints 1 is unsafe \(ns\/m20\) and 20 are safe\.\n/);
  const [unsafe, safe] = [report.endpoints.at(-1), report.endpoints[0]];
  assert.ok(unsafe !== undefined && safe !== undefined);
  for (const { namespace, name } of report.endpoints) assert.match(text, new RegExp(`^${namespace}/${name} is `, "m"));
  const told = report.endpoints.filter(({ namespace, name }) => text.includes(`\n${namespace}/${name} (`));
  assert.equal(told.length, 12);
  assert.ok(told.includes(unsafe));
  assert.match(text, /The answers for 9 more are above\./);
});

test("what is idle is not judged, so it has no table of verdicts", () => {
  assert.doesNotMatch(checkTable(reportOn([null]), piped), /SCENARIO/);
  assert.match(checkTable(reportOn(["safe"]), piped), /SCENARIO/);
});
