import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../../scripts/sources.ts";

// The action's script, as a pipeline runs it.

const folder = mkdtempSync(join(tmpdir(), "holdfast-action-"));
after(() => rmSync(folder, { recursive: true }));

function action(environment: Readonly<Record<string, string>>): { readonly code: number | null; readonly out: string } {
  const { status, stdout } = spawnSync(join(root, "action", "check.sh"), {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", ...environment },
  });
  return { code: status, out: stdout };
}

test("the step ends as check does and leaves summary, SARIF and exit code", () => {
  const files = {
    summary: join(folder, "summary.md"),
    sarif: join(folder, "it's.sarif"),
    html: join(folder, "report.html"),
    output: join(folder, "output"),
  };
  const { code, out } = action({
    HOLDFAST_FROM: `${join(root, "examples", "openshift-one-replica", "cluster")}\n`,
    HOLDFAST_ARGS: "--scenarios\ndrain-one-node\n",
    HOLDFAST_SARIF: files.sarif,
    HOLDFAST_HTML: files.html,
    GITHUB_STEP_SUMMARY: files.summary,
    GITHUB_OUTPUT: files.output,
  });
  assert.equal(code, 1);
  assert.match(out, /stalls the maintenance/);
  assert.equal(readFileSync(files.output, "utf8"), "exit-code=1\n");
  assert.match(readFileSync(files.summary, "utf8"), /^## Holdfast check/);
  const sarif: { version: string } = JSON.parse(readFileSync(files.sarif, "utf8"));
  assert.equal(sarif.version, "2.1.0");
  assert.match(readFileSync(files.html, "utf8"), /^<!doctype html>/i);
});

test("manifests without nodes are judged on the shapes that are given", () => {
  const manifests = join(folder, "rendered.yaml");
  const nodes = join(folder, "nodes.yaml");
  writeFileSync(
    manifests,
    [
      "{ apiVersion: apps/v1, kind: Deployment, metadata: { name: chat, namespace: ml }, spec: { replicas: 2,",
      "  selector: { matchLabels: { app: chat } }, template: { metadata: { labels: { app: chat } },",
      "  spec: { containers: [{ name: vllm, image: vllm/vllm-openai:v1 }] } } } }",
      "---",
      "{ apiVersion: v1, kind: Service, metadata: { name: chat, namespace: ml }, spec: { selector: { app: chat } } }",
    ].join("\n"),
  );
  writeFileSync(nodes, 'metadata: { name: n }\ncount: 3\nstatus: { allocatable: { cpu: "8", memory: 32Gi } }\n');
  const { code, out } = action({ HOLDFAST_FROM: manifests, HOLDFAST_NODES: nodes, HOLDFAST_FAIL_ON: "never" });
  assert.notEqual(code, 2, out);
  assert.match(out, /ml\/chat/);
});

const example = join(root, "examples", "openshift-one-replica", "cluster");
const senseless: readonly (readonly [about: string, environment: Readonly<Record<string, string>>, said: RegExp])[] = [
  ["nothing to read", { HOLDFAST_FROM: " \n\n" }, /from names nothing/],
  ["an unknown severity", { HOLDFAST_FROM: example, HOLDFAST_FAIL_ON: "fatal" }, /fail-on is error,/],
  ["no yes or no", { HOLDFAST_FROM: example, HOLDFAST_SUMMARY: "yes" }, /summary is true or false/],
  ["an output among the arguments", { HOLDFAST_FROM: example, HOLDFAST_ARGS: "-ojson" }, /args cannot set the output/],
  ["a folder that is not there", { HOLDFAST_FROM: example, HOLDFAST_HTML: "no/such/r.html" }, /report to html-file/],
];
for (const [about, environment, said] of senseless) {
  test(`the step refuses ${about}`, () => {
    const output = join(folder, "refused");
    writeFileSync(output, "");
    const { code, out } = action({ GITHUB_OUTPUT: output, ...environment });
    assert.equal(code, 2);
    assert.match(out, said);
    assert.match(readFileSync(output, "utf8"), /exit-code=2\n$/);
  });
}

test("every input of the action reaches its script", () => {
  const yaml = readFileSync(join(root, "action", "action.yml"), "utf8");
  const script = readFileSync(join(root, "action", "check.sh"), "utf8");
  const inputs = [...(/^inputs:\n([\s\S]*?)^outputs:/m.exec(yaml)?.[1] ?? "").matchAll(/^ {2}([a-z-]+):/gm)];
  assert.ok(inputs.length > 5);
  for (const [, input = ""] of inputs) {
    const [, variable] = new RegExp(`(HOLDFAST_\\w+): \\$\\{\\{ inputs\\.${input} \\}\\}`).exec(yaml) ?? [];
    assert.ok(variable !== undefined && script.includes(variable), input);
  }
});

test("inputs are data, never script", () => {
  const mark = join(folder, "mark");
  const { code } = action({ HOLDFAST_FROM: `$(touch ${mark}); \`touch ${mark}\``, HOLDFAST_FAIL_ON: "error" });
  assert.equal(code, 2);
  assert.throws(() => readFileSync(mark));
});
