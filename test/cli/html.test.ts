import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { loadPaths } from "../../src/load/from-files.ts";
import { htmlText } from "../../src/report/html.ts";
import { markdownText } from "../../src/report/markdown.ts";
import type { CheckEndpoint, CheckReport, FixReport } from "../../src/report/types.ts";
import { planReport } from "../support/fix.ts";
import { checkReport, component, safeEndpoint, simulationReport } from "./reports.ts";

const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>&amp;\u001b[31m\u202e]]>--><!--\u0000`;

function withNames(name: string): CheckReport {
  const parts = [
    component(name, { nodes: [name, `${name}2`], zones: [name], outside: "" }),
    component("Outside", { nodes: [], placed: [], outside: name }),
    component("Gone", { nodes: [], placed: [], ready: 0 }),
  ];
  const endpoints = checkReport.endpoints.map(
    (endpoint): CheckEndpoint => ({
      ...endpoint,
      name,
      path: parts,
      worst:
        endpoint.worst === null
          ? null
          : { ...endpoint.worst, name, pods: endpoint.worst.pods.map(({ pod }) => ({ pod, component: name })) },
    }),
  );
  const findings = checkReport.findings.map((finding) => ({
    ...finding,
    message: name,
    evidence: [name],
    remedy: name,
  }));
  return { ...checkReport, cluster: { ...checkReport.cluster, source: name }, endpoints, findings };
}

/** Every tag of the page, in order; throws where one is not closed. */
function tagsOf(page: string): readonly string[] {
  const open: string[] = [];
  const all: string[] = [];
  const empty = new Set(["meta", "!doctype"]);
  for (const [, close, name = "", body = ""] of page.matchAll(/<(\/?)([a-z!][a-z0-9]*)([^>]*)>/gi)) {
    all.push(name);
    if (empty.has(name.toLowerCase()) || body.endsWith("/")) continue;
    if (close === "/") assert.equal(open.pop(), name);
    else open.push(name);
  }
  assert.deepEqual(open, []);
  return all;
}

describe("the page", () => {
  const pages: readonly (readonly [string, string])[] = [
    ["check", htmlText(checkReport)],
    ["check of several", htmlText({ ...checkReport, endpoints: [safeEndpoint, ...checkReport.endpoints] })],
    ["check of nothing", htmlText({ ...checkReport, endpoints: [], supporting: [], findings: [] })],
    ["simulation", htmlText(simulationReport)],
    ["hostile names", htmlText(withNames(hostile))],
  ];
  for (const [name, page] of pages) {
    test(`${name}: closed tags, no script, nothing fetched`, () => {
      const tags = new Set(tagsOf(page));
      for (const tag of ["script", "img", "link", "iframe", "object", "a", "form"]) assert.ok(!tags.has(tag), tag);
      assert.doesNotMatch(page.replace(/"[^"]*"/g, '""'), /<[^>]*\s(?:on\w+|src|href|style)=/i);
      assert.doesNotMatch(page, /url\(|@import|https?:/i);
      assert.match(page, /default-src 'none'/);
    });
  }

  test("shows control characters, and passes none on", () => {
    const page = htmlText(withNames(hostile));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
    assert.doesNotMatch(page.replaceAll("\n", ""), /[\u0000-\u001f\u202a-\u202e]/);
    assert.match(page, /\\x1b\[31m\\u202e/);
    assert.match(page, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
  });

  test("a long name costs no more than a short one", () => {
    assert.ok(htmlText(withNames("x".repeat(1_000_000))).length < 500_000);
  });

  test("says what Markdown says", () => {
    const plain = (text: string): string => text.replaceAll(/\s+/g, " ");
    const page = plain(
      htmlText(checkReport)
        .replace(/<style>.*<\/style>/s, "")
        .replace(/<svg.*?<\/svg>/gs, "")
        .replace(/<[^>]+>/g, "\n"),
    ).replaceAll("&apos;", "'");
    const pieces = markdownText(checkReport)
      .split(/\n|\*\*|<br>| \| |^- /m)
      .map((piece) => plain(piece.replace(/^[#|\s-]+|[|\s]+$/g, "").replace(/\\([^\w\s])/g, "$1")).trim());
    for (const piece of pieces) assert.ok(page.includes(piece), piece);
  });

  test("draws the path and the course once an endpoint", () => {
    const drawings = htmlText(checkReport).match(/<svg/g)?.length;
    assert.equal(drawings, 2);
    assert.match(htmlText(checkReport), /<title>Endpoint picker: 1 of 1 ready on system-\d<\/title>/);
  });
});

const target = { apiVersion: "v1", kind: "ConfigMap", namespace: "ns", name: "c" };
const noCost = { milliCpu: 0, memoryBytes: 0, gpus: 0 };
const fixReport: FixReport = {
  apiVersion: "holdfast.dev/v1alpha1",
  kind: "FixReport",
  tool: { version: "0" },
  cluster: checkReport.cluster,
  problems: [],
  findings: [],
  changes: [
    {
      target,
      manager: "",
      holds: "live",
      do: "edit",
      remedies: [],
      fields: [],
      patchType: "",
      patch: "",
      diff: "--- a\n+++ b\n   ````\n+<b>x</b>\n",
      object: null,
      source: null,
      why: "so",
      cost: noCost,
    },
  ],
  cost: noCost,
  before: [{ endpoint: "ns/e", verdict: "unsafe", because: "" }],
  after: [{ endpoint: "ns/e", verdict: "safe", because: "" }],
  afterLiveOnly: [],
  secondMaintenance: [],
  rollout: { verdict: "safe", timeline: [] },
  alternatives: [],
  cannot: [{ endpoint: "ns/f", why: "no room", leastHelp: "" }],
  notModelled: [],
};

test("no text ends the fence it stands in", () => {
  assert.match(markdownText(fixReport), /\n`````diff\n--- a\n\+\+\+ b\n {3}````\n\+<b>x<\/b>\n`````\n/);
});

test("a diff on the page keeps its markup as text", () => {
  tagsOf(htmlText(fixReport));
  assert.match(htmlText(fixReport), /<span class="good">\+&lt;b&gt;x&lt;\/b&gt;<\/span>/);
});

test("a step of a plan that is about no object leaves no gap", () => {
  const small = loadPaths([join(import.meta.dirname, "small-cluster.yaml")]);
  const plan = planReport(small, { nodes: { by: "names", names: ["n1"] }, actor: null });
  assert.ok(plan.steps.some(({ ref }) => ref === ""));
  assert.match(markdownText(plan), /\n4\. \[ \] \*\*Wait until ready\*\* \(within /);
  assert.match(htmlText(plan), /<strong>4\. Wait until ready<\/strong> \(within /);
});
