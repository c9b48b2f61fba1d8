import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { parseDuration } from "../../src/base/duration.ts";
import { parseSpan } from "../../src/cli/duration.ts";
import { parseScenario, readScenarioFile } from "../../src/cli/scenario-file.ts";
import { duration, scenarioDocument } from "../../src/report/scenario-document.ts";
import { yamlText } from "../../src/report/yaml.ts";
import type { Scenario } from "../../src/sim/scenario.ts";

const head = "apiVersion: holdfast.dev/v1alpha1\nkind: Scenario\nmetadata: { name: s }\nspec:\n";

function good(spec: string): Scenario {
  const { scenario, problems } = parseScenario(head + spec, "s.yaml");
  assert.deepEqual(problems, []);
  assert.ok(scenario !== null);
  return scenario;
}

function complaints(spec: string): readonly string[] {
  const { scenario, problems } = parseScenario(head + spec, "s.yaml");
  assert.equal(scenario, null);
  return problems.map((problem) => `${problem.line} ${problem.path}: ${problem.message}`);
}

describe("a scenario of an actor", () => {
  test("every field", () => {
    const scenario = good(`
  actor: nebius
  nodes: { names: [system-1, system-2] }
  order: given
  timing:
    nodeDown: 180s
    podStart: { "*": 30s, "serving/engine*": 5m..10m }
    podReady: { "ns/pod": 90s }
    podStop: { "*": 2s }
    drainTimeout: 1h
    retry: 5s
  choices: [{ pod: ns/pod-~1, node: system-2 }, { pod: ns/old, node: system-1, leaves: true }]
  limits: { states: 100, horizon: 2h }
`);
    assert.deepEqual(scenario, {
      name: "s",
      changes: [],
      body: { kind: "actor", actor: "nebius", nodes: { by: "names", names: ["system-1", "system-2"] }, order: "given" },
      timing: {
        nodeDown: { leastMs: 180_000, mostMs: 180_000 },
        podStart: [
          { pattern: "*", span: { leastMs: 30_000, mostMs: 30_000 } },
          { pattern: "serving/engine*", span: { leastMs: 300_000, mostMs: 600_000 } },
        ],
        podReady: [{ pattern: "ns/pod", span: { leastMs: 90_000, mostMs: 90_000 } }],
        podStop: [{ pattern: "*", span: { leastMs: 2000, mostMs: 2000 } }],
        drainTimeoutMs: 3_600_000,
        retryMs: 5000,
      },
      limits: { states: 100, horizonMs: 7_200_000 },
      choices: [
        { pod: "ns/pod-~1", node: "system-2", leaves: false, soon: false },
        { pod: "ns/old", node: "system-1", leaves: true, soon: false },
      ],
    });
  });

  test("what is left out has its default", () => {
    const scenario = good("  nodes: { selector: pool=system }\n");
    assert.deepEqual(scenario.body, {
      kind: "actor",
      actor: null,
      nodes: { by: "selector", selector: "pool=system" },
      order: "any",
    });
    assert.deepEqual(scenario.limits, { states: 1_000_000, horizonMs: 86_400_000 });
  });
});

const everyStep = `
  steps:
    - cordon: [n1]
    - uncordon: n1
    - taint: { node: n1, key: k, value: "", effect: NoSchedule }
    - taint: { node: n1, key: k, value: v, effect: NoExecute, remove: true }
    - drain: n1
    - drain: [n1, n2]
      concurrent: true
      flags: []
      stopAfter: 90s
      forceAfter: 1h
    - evict: ns/pod
    - delete: ns/pod
    - delete: { node: n1 }
    - delete: { ref: PodDisruptionBudget/ns/b }
    - fail: n1
    - down: { node: n1, for: 180s }
    - apply: [{ apiVersion: v1, kind: ConfigMap, metadata: { name: a } }]
    - patch: { spec: { replicas: 2 } }
      target: { apiVersion: apps/v1, kind: Deployment, namespace: ns, name: d }
      type: merge
    - patch: [{ op: remove, path: /spec/x }]
      target: Deployment/ns/d
      type: json
    - scale: { ref: Deployment/ns/d, replicas: 3 }
    - wait: 60s
    - waitReady: { ref: Deployment/ns/d }
    - waitReady: all
`;

describe("steps", () => {
  test("each of them", () => {
    const { body } = good(everyStep);
    assert.ok(body.kind === "steps");
    const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace: "ns", name: "d" };
    assert.deepEqual(body.steps, [
      { do: "cordon", nodes: ["n1"] },
      { do: "uncordon", nodes: ["n1"] },
      { do: "taint", node: "n1", taint: { key: "k", value: "", effect: "NoSchedule" }, remove: false },
      { do: "taint", node: "n1", taint: { key: "k", value: "v", effect: "NoExecute" }, remove: true },
      {
        do: "drain",
        nodes: ["n1"],
        flags: ["--ignore-daemonsets", "--delete-emptydir-data"],
        concurrent: false,
        stopAfterMs: null,
        forceAfterMs: null,
      },
      { do: "drain", nodes: ["n1", "n2"], flags: [], concurrent: true, stopAfterMs: 90_000, forceAfterMs: 3_600_000 },
      { do: "evict", pod: "ns/pod" },
      { do: "deletePod", pod: "ns/pod" },
      { do: "deleteNode", node: "n1" },
      {
        do: "deleteObject",
        target: { apiVersion: "policy/v1", kind: "PodDisruptionBudget", namespace: "ns", name: "b" },
      },
      { do: "fail", node: "n1" },
      { do: "down", node: "n1", forMs: 180_000 },
      { do: "apply", objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }] },
      { do: "patch", target: deployment, type: "merge", patch: { spec: { replicas: 2 } } },
      { do: "patch", target: deployment, type: "json", patch: [{ op: "remove", path: "/spec/x" }] },
      { do: "scale", target: deployment, replicas: 3 },
      { do: "wait", forMs: 60_000 },
      { do: "waitReady", target: deployment },
      { do: "waitReady", target: null },
    ]);
  });

  test("a document written from a scenario reads as that scenario", () => {
    for (const spec of [
      everyStep,
      "  nodes: { zone: a }\n",
      "  nodes: { pool: x, first: [b, a] }\n  order: given\n",
      "  actor: nebius\n  nodes: { pool: x }\n  timing: { nodeDown: 1.5s..2m }\n  choices: [{ pod: a/b, node: n }]\n",
    ]) {
      const scenario = good(spec);
      const { scenario: again, problems } = parseScenario(yamlText(scenarioDocument(scenario)), "again.yaml");
      assert.deepEqual(problems, []);
      assert.deepEqual(again, scenario);
    }
  });
});

describe("mistakes are shown with their line and what was meant", () => {
  const rows: readonly (readonly [string, string, readonly RegExp[]])[] = [
    ["nothing to do", "  timing: {}\n", [/^4 spec: needs nodes .* or steps/]],
    ["actor and steps", "  actor: nebius\n  steps: [{ wait: 1s }]\n", [/^5 spec\.actor: does not go with steps/]],
    ["no steps", "  steps: []\n", [/needs at least one step/]],
    [
      "unknown field",
      "  nods: { zone: a }\n  nodes: { zone: a }\n",
      [/^5 spec\.nods: is no field here; did you mean nodes\?/],
    ],
    ["two ways to choose", "  nodes: { zone: a, pool: b }\n", [/exactly one of names, selector, pool, zone/]],
    ["first of what", "  nodes: { zone: a, first: [b] }\n", [/^5 spec\.nodes\.first: goes with pool/]],
    ["first of any order", "  nodes: { pool: a, first: [b] }\n", [/goes with order: given/]],
    ["bad order", "  nodes: { zone: a }\n  order: gven\n", [/^6 spec\.order: .*did you mean given\?/]],
    [
      "unknown step",
      "  steps:\n    - wait: 1s\n    - drian: n1\n",
      [/^7 spec\.steps\[1\]: is no step; did you mean drain\?/],
    ],
    ["step that is text", "  steps: [wait]\n", [/should be a step/]],
    ["two in one", "  steps: [{ wait: 1s, drain: n1 }]\n", [/says wait and drain; make them two steps/]],
    ["stray field", "  steps: [{ cordon: n1, concurrent: true }]\n", [/concurrent: is no field here/]],
    ["bad flag", "  steps: [{ drain: n1, flags: [--ignore-daemonset] }]\n", [/did you mean --ignore-daemonsets\?/]],
    ["bad pod", "  steps: [{ evict: pod }]\n", [/should be namespace\/name of a pod, not "pod"/]],
    ["bad time", "  steps: [{ wait: 5 minutes }]\n", [/should be a length of time such as 90s/]],
    ["backward range", "  nodes: { zone: a }\n  timing: { nodeDown: 90s..20s }\n", [/length of time or a range/]],
    ["bad count", "  steps: [{ scale: { ref: Deployment/a/b, replicas: -1 } }]\n", [/whole number, at least 0/]],
    [
      "more pods than any cluster has",
      "  steps: [{ scale: { ref: Deployment/a/b, replicas: 2147483647 } }]\n",
      [/at least 0 and at most 5000/],
    ],
    ["bad reference", "  steps: [{ waitReady: { ref: Gizmo/a/b } }]\n", [/Deployment\/namespace\/name/]],
    ["patch without target", "  steps: [{ patch: { a: 1 } }]\n", [/needs target/]],
    [
      "patch of the wrong form",
      "  steps: [{ patch: { a: 1 }, target: Deployment/a/b, type: json }]\n",
      [/should be a list for type json/],
    ],
    ["missing file", "  steps: [{ apply: no-such.yaml }]\n", [/cannot be read: no-such\.yaml/]],
    ["absolute file", "  steps: [{ apply: /etc/passwd }]\n", [/relative to the scenario file/]],
    ["all at once", "  order: x\n  limits: { states: 0 }\n", [/needs nodes/, /spec\.order/, /spec\.limits\.states/]],
  ];
  for (const [name, spec, says] of rows) {
    test(name, () => {
      const found = complaints(spec);
      for (const pattern of says)
        assert.ok(
          found.some((line) => pattern.test(line)),
          found.join("\n"),
        );
    });
  }

  test("another kind of file", () => {
    const { problems } = parseScenario("apiVersion: v1\nkind: Pod\nmetadata: {}\n", "s.yaml");
    assert.ok(problems.some((problem) => problem.line === 1 && problem.path === "apiVersion"));
    assert.ok(problems.some((problem) => problem.line === 2 && problem.path === "kind"));
  });

  test("no YAML at all", () => {
    const { problems } = parseScenario("a: [1,\nb: {", "s.yaml");
    assert.ok(problems.length > 0 && problems.every((problem) => problem.line !== null));
    assert.equal(parseScenario("", "s.yaml").problems[0]?.message, "holds no scenario");
    assert.ok(
      parseScenario(`${head}  nodes: {zone: a}\n---\na: 1\n`, "s.yaml").problems.some((p) =>
        /one document/.test(p.message),
      ),
    );
  });
});

describe("hostile scenario files end in a problem", () => {
  const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
  const bomb = [
    "a: &a [x,x,x,x,x,x,x,x,x,x]",
    ...["b", "c", "d", "e", "f", "g"].map(
      (name, index) => `${name}: &${name} [${`*${"abcdef".charAt(index)},`.repeat(10)}]`,
    ),
  ].join("\n");
  const rows: readonly (readonly [string, string])[] = [
    ["deep nesting", `${head}  steps: ${deep}\n`],
    ["deep by indentation", Array.from({ length: 3000 }, (_, index) => `${" ".repeat(index)}a:`).join("\n")],
    ["an anchor bomb", bomb],
    ["an alias of itself", "a: &a [*a]\n"],
    ["prototype keys", `${head}  __proto__: { polluted: 1 }\n  constructor: 1\n  nodes: { zone: a }\n`],
    ["control characters", "\u0000\u001b[31m"],
    ["keys that are maps", "? { a: b }\n: c\n"],
  ];
  for (const [name, text] of rows) {
    test(name, () => {
      const { scenario, problems } = parseScenario(text, "s.yaml");
      assert.equal(scenario, null);
      assert.ok(problems.length > 0);
    });
  }

  test("any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."a:-[]{}&*!|>'\"#%@`? \n\t~=<\\,"), maxLength: 60 }), (text) => {
        const { scenario, problems } = parseScenario(text, "s.yaml");
        assert.ok(scenario === null && problems.length > 0);
      }),
      { numRuns: 400 },
    );
  });
});

describe("files of a scenario stay in its folder", () => {
  const outside = mkdtempSync(join(tmpdir(), "holdfast-scenario-"));
  const folder = join(outside, "inside");
  mkdirSync(folder);
  after(() => rmSync(outside, { recursive: true }));
  const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n";
  writeFileSync(join(outside, "out.yaml"), manifest);
  writeFileSync(
    join(folder, "in.yaml"),
    `${manifest}---\napiVersion: v1\nkind: Secret\nmetadata: { name: s }\n---\napiVersion: v1\nkind: List\nitems:\n  - { apiVersion: v1, kind: Pod, metadata: { name: p, namespace: n } }\n`,
  );
  writeFileSync(join(folder, "broken.yaml"), "apiVersion: v1\nkind: [\n");
  writeFileSync(join(folder, "odd.yaml"), "just text\n---\nkind: Pod\n");
  symlinkSync(join(outside, "out.yaml"), join(folder, "link.yaml"));
  const read = (name: string) => {
    const file = join(folder, "scenario.yaml");
    writeFileSync(file, `${head}  steps: [{ apply: ${name} }]\n`);
    return readScenarioFile(file);
  };

  test("a file beside it, lists opened, Secrets dropped", () => {
    const { scenario, problems } = read("in.yaml");
    assert.deepEqual(problems, []);
    assert.ok(scenario?.body.kind === "steps");
    const [step] = scenario.body.steps;
    assert.ok(step?.do === "apply");
    assert.deepEqual(
      step.objects.map((object) => object.kind),
      ["ConfigMap", "Pod"],
    );
  });

  for (const name of ["../out.yaml", "link.yaml", ".", "broken.yaml", "odd.yaml"]) {
    test(`not ${name}`, () => {
      const { scenario, problems } = read(name);
      assert.equal(scenario, null);
      assert.ok(problems.length > 0);
    });
  }
});

describe("durations", () => {
  const rows: readonly (readonly [string, number | null])[] = [
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["1.5s", 1500],
    ["250ms", 250],
    ["0", 0],
    ["0s", 0],
    ["90", null],
    ["1d", null],
    ["-5s", null],
    ["5 s", null],
    ["", null],
    ["999999999999h", null],
  ];
  for (const [text, ms] of rows) test(`"${text}" is ${ms}`, () => assert.equal(parseDuration(text), ms));

  test("what is written reads back", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_000_000_000 }), (ms) => assert.equal(parseDuration(duration(ms)), ms)),
    );
  });

  test("ranges", () => {
    assert.deepEqual(parseSpan("20s..90s"), { leastMs: 20_000, mostMs: 90_000 });
    assert.equal(parseSpan("1s..2s..3s"), null);
    assert.equal(parseSpan("..5s"), null);
  });
});
