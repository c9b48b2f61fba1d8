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
    output: join(folder, "output"),
  };
  const { code, out } = action({
    HOLDFAST_FROM: `${join(root, "examples", "openshift-one-replica", "cluster")}\n`,
    HOLDFAST_ARGS: "--scenarios\ndrain-one-node\n",
    HOLDFAST_SARIF: files.sarif,
    GITHUB_STEP_SUMMARY: files.summary,
    GITHUB_OUTPUT: files.output,
  });
  assert.equal(code, 1);
  assert.match(out, /stalls the maintenance/);
  assert.equal(readFileSync(files.output, "utf8"), "exit-code=1\n");
  assert.match(readFileSync(files.summary, "utf8"), /^## Holdfast check/);
  const sarif: { version: string } = JSON.parse(readFileSync(files.sarif, "utf8"));
  assert.equal(sarif.version, "2.1.0");
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

test("inputs are data, never script", () => {
  const mark = join(folder, "mark");
  const { code } = action({ HOLDFAST_FROM: `$(touch ${mark}); \`touch ${mark}\``, HOLDFAST_FAIL_ON: "error" });
  assert.equal(code, 2);
  assert.throws(() => readFileSync(mark));
});
