import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { parse } from "yaml";
import { spokenSeconds } from "../../src/base/words.ts";
import { checkTable } from "../../src/report/check-table.ts";
import { paragraph } from "../../src/report/columns.ts";
import { jsonText } from "../../src/report/json.ts";
import { junitText } from "../../src/report/junit.ts";
import { markdownText } from "../../src/report/markdown.ts";
import { sarifText } from "../../src/report/sarif.ts";
import { checkSchema, simulationSchema } from "../../src/report/schema.ts";
import { simulationTable } from "../../src/report/simulation-table.ts";
import { momentsOf, storyOf } from "../../src/report/story.ts";
import { columnsOf, shellQuoted, visible, wrapped } from "../../src/report/text.ts";
import type { CheckReport } from "../../src/report/types.ts";
import { answerOf, drainInWords, nothingToJudge } from "../../src/report/verdict.ts";
import { yamlText } from "../../src/report/yaml.ts";
import { checkReport, component, safeEndpoint, simulationReport, unsafeEndpoint } from "./reports.ts";

const piped = { colour: false, width: null };

const hostile = "a\u001b[31mred\u0007\u202eevil\u2028\u200b\r\n|<b>@all`x`](http://evil) ${HOME} ';rm -rf / #\ud800";

function withNames(name: string): CheckReport {
  const endpoint = {
    ...unsafeEndpoint,
    name,
    model: name,
    path: [component(name, { neededBecause: name, nodes: [name] })],
    worst:
      unsafeEndpoint.worst === null
        ? null
        : { ...unsafeEndpoint.worst, timeline: [{ atSeconds: 0, type: "node-up", node: name } as const] },
  };
  const [finding] = checkReport.findings;
  return {
    ...checkReport,
    cluster: { ...checkReport.cluster, source: name },
    endpoints: [endpoint],
    problems: [{ file: name, line: 1, path: name, message: name }],
    findings:
      finding === undefined ? [] : [{ ...finding, message: name, component: name, source: { file: name, line: 3 } }],
  };
}

describe("names from a cluster are data", () => {
  const control = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
  const renderers: readonly (readonly [string, (report: CheckReport) => string])[] = [
    ["table", (report) => checkTable(report, piped)],
    ["narrow table", (report) => checkTable(report, { colour: false, width: 60 })],
    ["json", jsonText],
    ["yaml", yamlText],
    ["markdown", markdownText],
    ["sarif", sarifText],
    ["junit", junitText],
  ];
  for (const [name, render] of renderers) {
    test(`${name} has no control characters but line breaks`, () => {
      const found = control.exec(render(withNames(hostile)).replaceAll("\n", ""));
      assert.equal(found, null);
    });
    test(`${name} of any names`, () => {
      fc.assert(
        fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
          assert.equal(control.exec(render(withNames(text)).replaceAll("\n", "")), null);
        }),
        { numRuns: 60 },
      );
    });
  }

  test("markdown keeps names out of markup", () => {
    const text = markdownText(withNames(hostile));
    assert.ok(!text.includes("<b>"));
    assert.ok(!text.includes("@all"));
    assert.doesNotMatch(text, /(?<!\\)\]\(http/);
  });

  test("XML keeps names out of markup", () => {
    assert.ok(!junitText(withNames(hostile)).includes("<b>"));
  });

  test("JSON gives the very name back", () => {
    const back: CheckReport = JSON.parse(jsonText(withNames(hostile)));
    assert.equal(back.endpoints[0]?.name, hostile);
  });

  test("a shell sees one word", () => {
    assert.equal(shellQuoted("node-1"), "node-1");
    assert.equal(shellQuoted("a'b; rm"), `'a'\\''b; rm'`);
    assert.equal(shellQuoted(""), "''");
    assert.equal(visible("\u001b\u202e\u{e0041}"), "\\x1b\\u202e\\u{e0041}");
  });
});

describe("formats", () => {
  test("YAML reads as what JSON says", () => {
    assert.deepEqual(parse(yamlText(checkReport)), JSON.parse(jsonText(checkReport)));
  });

  test("YAML of any value reads back", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value).replaceAll("-0", "0"));
        assert.deepEqual(parse(yamlText(plain), { uniqueKeys: false }), plain);
      }),
      { numRuns: 300 },
    );
  });

  test("the reports are what the schema says, and a broken one is not", () => {
    const ajv = new Ajv2020({ strict: false });
    const isCheck = ajv.compile(checkSchema);
    const isSimulation = ajv.compile(simulationSchema);
    for (const report of [checkReport, { ...checkReport, endpoints: [safeEndpoint, unsafeEndpoint] }]) {
      assert.ok(isCheck(report), JSON.stringify(isCheck.errors));
    }
    assert.ok(isSimulation(simulationReport), JSON.stringify(isSimulation.errors));
    assert.ok(!isCheck({ ...checkReport, endpoints: [{ ...unsafeEndpoint, verdict: "fine" }] }));
    assert.ok(!isSimulation(checkReport));
    const { timeline } = simulationReport;
    assert.ok(
      !isSimulation({ ...simulationReport, timeline: [...timeline, { atSeconds: 1, type: "node-upp", node: "n" }] }),
    );
  });

  test("colour changes nothing but colour", () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour is made of them.
    const bare = (text: string): string => text.replaceAll(/\u001b\[\d+m/g, "");
    const look = { colour: true, width: 100 };
    assert.equal(bare(checkTable(checkReport, look)), checkTable(checkReport, { ...look, colour: false }));
    assert.notEqual(checkTable(checkReport, look), checkTable(checkReport, { ...look, colour: false }));
  });

  test("lines fit the terminal", () => {
    for (const width of [72, 80, 100, 140]) {
      for (const text of [
        checkTable(checkReport, { colour: false, width }),
        simulationTable(simulationReport, { colour: false, width }),
      ]) {
        // The component table has eight columns whose words are not cut: it may be wider than a narrow terminal.
        const long = text.split("\n").filter((line) => columnsOf(line) > Math.max(width, 100));
        assert.deepEqual(long, []);
      }
    }
  });
});

describe("piped, where lines may be as long as they need to be", () => {
  const text = checkTable(checkReport, piped);
  const sectionFrom = (head: string): readonly string[] =>
    (text.split("\n\n").find((section) => section.startsWith(head)) ?? "").split("\n");

  test("a story wraps under its text", () => {
    const [, ...story] = sectionFrom("What happens to");
    assert.ok(story.some((line) => /^ {10,}\S/.test(line)));
    assert.deepEqual(
      story.filter((line) => columnsOf(line) > 100),
      [],
    );
  });

  test("an answer is one line", () => assert.match(text.split("\n")[0] ?? "", /\.$/));

  test("a name that is longer than the line stays whole", () => {
    const name = "a".repeat(150);
    assert.deepEqual(paragraph(`  ${name} is gone`, 4, piped), [`  ${name}`, "    is gone"]);
  });
});

describe("moments of a story", () => {
  const rows: readonly (readonly [string, readonly number[], readonly string[]])[] = [
    ["whole seconds", [0, 233, 251], ["0 s", "3 min 53 s", "4 min 11 s"]],
    ["two at one moment", [233.1, 233.1], ["3 min 53 s", "3 min 53 s"]],
    ["two that would read alike", [233, 233.115, 3600.25, 3601], ["3 min 53 s", "3 min 53.115 s", "1 h", "1 h 1 s"]],
  ];
  for (const [name, seconds, moments] of rows) {
    test(name, () =>
      assert.deepEqual(momentsOf(seconds.map((atSeconds) => ({ atSeconds, text: "", tone: "plain" }))), moments),
    );
  }
});

describe("nothing to judge", () => {
  const empty = {
    ...checkReport,
    endpoints: [],
    notChosen: [],
    cluster: { ...checkReport.cluster, source: "dump", nodes: 0, pods: 0 },
  };
  const problem = { file: "dump/a.yaml", line: 7, path: "", message: "broken YAML" };
  const rows: readonly (readonly [string, Partial<typeof empty>, RegExp])[] = [
    ["nothing was there", { problems: [] }, /there are no nodes in dump, so/],
    [
      "it could not be read",
      { problems: [problem] },
      /no nodes in what could be read of dump\. .*dump\/a\.yaml:7: broken YAML$/,
    ],
    ["much could not be read", { problems: [problem, problem] }, /first of 2 problems: dump\/a\.yaml:7/],
    [
      "there are nodes",
      { problems: [problem], cluster: { ...empty.cluster, nodes: 2 } },
      /found in what could be read of dump,/,
    ],
  ];
  for (const [name, parts, says] of rows) test(name, () => assert.match(nothingToJudge({ ...empty, ...parts }), says));
});

describe("words", () => {
  const rows: readonly (readonly [number, string])[] = [
    [0, "0 s"],
    [0.25, "0.25 s"],
    [59.9994, "59.999 s"],
    [60, "1 min"],
    [224.5, "3 min 45 s"],
    [3599.9, "1 h"],
    [3600, "1 h"],
    [5430, "1 h 30 min 30 s"],
  ];
  for (const [seconds, words] of rows)
    test(`${seconds} is ${words}`, () => assert.equal(spokenSeconds(seconds), words));

  test("wrapped lines keep every letter", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), fc.integer({ min: 3, max: 30 }), (text, width) => {
        const lines = wrapped(text, width);
        assert.equal(lines.join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
        assert.ok(lines.every((line) => columnsOf(line) <= width));
      }),
    );
  });

  test("each verdict has its sentence", () => {
    const says = (parts: Partial<typeof unsafeEndpoint>): string => answerOf({ ...unsafeEndpoint, ...parts });
    assert.match(
      says({}),
      /^is unsafe: .*3 min 45 s: nothing is ready of Endpoint picker \(ml\/picker-7d-~1 is Pending\)\.$/,
    );
    assert.match(
      says({ verdict: "stalls" }),
      /^stays up but stalls the maintenance: .*system-2 waits for ever on kube-system\/coredns-1/,
    );
    assert.match(says({ verdict: "undecided" }), /^is undecided: a limit/);
    const whatIfs = unsafeEndpoint.scenarios.map((scenario) => ({ ...scenario, partOfVerdict: false }));
    assert.match(says({ verdict: "undecided", scenarios: whatIfs }), /^is undecided: only what-ifs were played/);
    assert.match(
      says({ verdict: "undecided", notModelled: [{ what: "its webhook", ref: "", couldChange: "the picker" }] }),
      /its webhook could change the picker/,
    );
    assert.match(says({ verdict: "safe", worst: null }), /^is safe: no order/);
    assert.match(says({ verdict: null, now: "idle" }), /^is idle/);
    assert.match(
      says({ now: "down", path: [component("Engine", { ready: 0 })] }),
      /^is down now: nothing is ready of Engine/,
    );
    assert.match(says({ because: "because." }), /^is unsafe: because\.$/);
  });

  test("a refusal of a whole node names no pod", () => {
    const refused = { node: "n1", outcome: "refused", fromSeconds: 0, toSeconds: 0 } as const;
    const because = { code: 0, message: "cannot delete Pods that declare no controller", cause: "" };
    const words = (pod: string): string => drainInWords({ ...refused, blockedBy: [{ pod, ...because }] });
    assert.equal(words(""), "the drain of n1 is refused: cannot delete Pods that declare no controller");
    assert.equal(words("ns/a"), "the drain of n1 is refused on ns/a: cannot delete Pods that declare no controller");
  });

  test("a story is about a dozen lines, and keeps the outage and its end", () => {
    assert.ok(unsafeEndpoint.worst !== null);
    const noise = Array.from(
      { length: 60 },
      (_, index) => ({ atSeconds: 10 + index, type: "node-up", node: `n${index}` }) as const,
    );
    const timeline = [...unsafeEndpoint.worst.timeline, ...noise].sort((a, b) => a.atSeconds - b.atSeconds);
    const story = storyOf({ ...unsafeEndpoint.worst, timeline }, "ml/llama");
    assert.ok(story.length >= 8 && story.length <= 14);
    const text = story.map((line) => line.text).join("\n");
    assert.match(text, /ml\/llama is DOWN/);
    assert.match(text, /ml\/llama is up again/);
    assert.match(text, /has no place: 0\/4 nodes are available/);
    assert.equal(story.filter((line) => line.text.includes("has no place")).length, 1);
    assert.ok(!text.includes("is deleted by"), "an eviction says it");
    assert.ok(!text.includes("collector"), "pods of others are not in it");
  });
});
