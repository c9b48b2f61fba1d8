import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../../scripts/sources.ts";
import type { CheckReport } from "../../src/report/types.ts";
import { holdfast } from "./shell.ts";

// Rendered manifests as a pipeline has them: no pods, no nodes, no cluster. What they would run on comes with --nodes.

const folder = mkdtempSync(join(tmpdir(), "holdfast-manifests-"));
after(() => rmSync(folder, { recursive: true }));

const rendered = `---
# Source: chat/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: chat
  namespace: ml
spec:
  replicas: 1
  selector: { matchLabels: { app: chat } }
  template:
    metadata: { labels: { app: chat } }
    spec:
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.11.0
          resources: { limits: { nvidia.com/gpu: "1" } }
---
# Source: chat/templates/service.yaml
apiVersion: v1
kind: Service
metadata: { name: chat, namespace: ml }
spec: { selector: { app: chat }, ports: [{ port: 80 }] }
---
# Source: chat/templates/pdb.yaml
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: chat, namespace: ml }
spec: { minAvailable: 1, selector: { matchLabels: { app: chat } } }
`;
const shapes = `metadata: { name: gpu, labels: { node-pool: gpu } }
count: 2
zones: [a, b]
status: { allocatable: { cpu: "32", memory: 256Gi, nvidia.com/gpu: "8" }, nodeInfo: { kubeletVersion: v1.36.3 } }
`;

function written(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const chart = written("rendered.yaml", rendered);
const nodes = written("nodes.yaml", shapes);
const check = (format: string, file = chart) =>
  holdfast(["check", "-f", file, "--nodes", nodes, "-o", format, "--scenarios", "drain-one-node"]);

async function checked(name: string, text: string): Promise<{ readonly code: number; readonly report: CheckReport }> {
  const { code, out } = await check("json", written(name, text));
  return { code, report: JSON.parse(out) };
}

test("pods are made and placed on the shapes, and judged", async () => {
  const { code, out } = await check("json");
  const report: CheckReport = JSON.parse(out);
  assert.equal(code, 1);
  assert.deepEqual(report.problems, []);
  assert.equal(report.cluster.nodes, 2);
  assert.equal(report.cluster.pods, 1);
  assert.deepEqual(
    report.endpoints.map(({ namespace, name, verdict }) => `${namespace}/${name} ${verdict}`),
    ["ml/chat stalls"],
  );
  assert.match(report.endpoints[0]?.path[0]?.outside ?? "", /Cluster DNS is not in the input/);
  const [finding] = report.findings;
  assert.equal(finding?.rule, "budget-never-allows");
  assert.equal(finding?.source?.line, 26);
});

test("fixed, it is safe", async () => {
  const better = rendered.replace("replicas: 1", "replicas: 2").replace("minAvailable: 1", "maxUnavailable: 1");
  const { code, report } = await checked("better.yaml", better);
  assert.deepEqual(
    report.endpoints.map(({ verdict }) => verdict),
    ["safe"],
  );
  assert.equal(code, 0);
});

test("a chart's test pod, and a Pod that is only written down, keep nothing from being placed", async () => {
  const pod = (annotations: string): string =>
    `---\napiVersion: v1\nkind: Pod\nmetadata: { name: extra, namespace: ml${annotations} }\nspec: { containers: [ { name: c, image: busybox } ] }\n`;
  const podsOf = async (text: string): Promise<number> => {
    const { report } = await checked("with-pod.yaml", rendered + text);
    assert.equal(report.endpoints[0]?.now, "up");
    return report.cluster.pods;
  };
  assert.equal(await podsOf(pod(", annotations: { helm.sh/hook: test }")), 1);
  assert.equal(await podsOf(pod("")), 2);
});

test("a claim whose StorageClass the manifests do not bring holds no pod, and nothing is called safe by it", async () => {
  const claim = `---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: weights, namespace: ml }
spec: { accessModes: [ReadWriteMany], storageClassName: fast, resources: { requests: { storage: 100Gi } } }
`;
  const mounted = rendered
    .replace("replicas: 1", "replicas: 2")
    .replace("minAvailable: 1", "maxUnavailable: 1")
    .replace(
      "      containers:",
      "      volumes: [ { name: w, persistentVolumeClaim: { claimName: weights } } ]\n      containers:",
    );
  const { report: absent } = await checked("claimed.yaml", `${mounted}${claim}`);
  assert.deepEqual(
    absent.endpoints.map(({ now, verdict }) => `${now} ${verdict}`),
    ["up undecided"],
  );
  assert.match(absent.cluster.notSeen.map(({ why }) => why).join(), /StorageClass fast and has none/);
  const other = `---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: { name: slow }\nprovisioner: x\n`;
  const { report: wrong } = await checked("claimed.yaml", `${mounted}${claim}${other}`);
  assert.deepEqual(
    wrong.endpoints.map(({ now }) => now),
    ["down"],
  );
  const [finding] = wrong.findings.filter(({ rule }) => rule === "no-room-for-replicas");
  assert.match(finding?.message ?? "", /wait for a volume/);
});

test("a resource whose controller would make pods is said not to be judged", async () => {
  const rollout = `---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: { name: triton, namespace: ml }
spec: { replicas: 2, template: { spec: { containers: [ { name: t, image: tritonserver } ] } } }
`;
  const { report } = await checked("rollout.yaml", `${rendered}${rollout}`);
  assert.deepEqual(
    report.cluster.notSeen.map(({ resource }) => resource),
    ["pods of Rollout ml/triton"],
  );
});

test("from standard input, as helm template writes it", () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, "src", "cli", "main.ts"), "check", "-f", "-", "--nodes", nodes, "--scenarios", "drain-one-node"],
    { input: rendered, encoding: "utf8", timeout: 60_000 },
  );
  assert.equal(status, 1);
  assert.match(stdout.split("\n")[0] ?? "", /^ml\/chat/);
});

test("without nodes it says what is missing", async () => {
  const { code, err } = await holdfast(["check", "-f", chart]);
  assert.equal(code, 2);
  assert.match(err, /--nodes/);
});

test("SARIF points at lines of the manifests", async () => {
  const { out } = await check("sarif");
  interface Sarif {
    readonly runs: readonly {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly results: readonly {
        readonly ruleId: string;
        readonly level: string;
        readonly locations?: readonly {
          readonly physicalLocation: {
            readonly artifactLocation: { readonly uri: string };
            readonly region: { readonly startLine: number };
          };
        }[];
      }[];
    }[];
  }
  const sarif: Sarif = JSON.parse(out);
  const [run] = sarif.runs;
  const lines = rendered.split("\n");
  const found = run?.results.map(({ ruleId, level, locations }) => {
    const place = locations?.[0]?.physicalLocation;
    return `${ruleId} ${level} ${lines[(place?.region.startLine ?? 0) - 1]} ${lines[place?.region.startLine ?? 0]}`;
  });
  assert.deepEqual(found, [
    "HF003 error apiVersion: policy/v1 kind: PodDisruptionBudget",
    "HF001 note apiVersion: apps/v1 kind: Deployment",
  ]);
  for (const result of run?.results ?? [])
    assert.ok(
      run?.tool.driver.rules.some(({ id }) => id === result.ruleId),
      result.ruleId,
    );
});

test("JUnit fails the endpoint, with the reason", async () => {
  const { out } = await check("junit");
  assert.match(out, /^<\?xml version="1\.0"/);
  assert.match(out, /<testsuites[^>]*failures="[1-9]/);
  assert.match(out, /<testcase[^>]*name="[^"]*chat[^"]*"/);
  assert.match(out, /<failure[^>]*message="[^"]*stalls/);
});
