import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadText } from "../../src/load/from-files.ts";
import type { CheckReport } from "../../src/report/types.ts";
import type { Snapshot } from "../../src/wire/snapshot.ts";
import { snapshotOver } from "../../src/wire/snapshot-over.ts";
import { holdfast } from "../cli/shell.ts";
import { checkReport, readExample } from "../support/assess.ts";

// What was not seen is listed, and nothing is called safe that could rest on it.

const played = { scenarios: ["drain-one-node"] as const };

function verdicts({ endpoints }: CheckReport): readonly string[] {
  return endpoints.map(({ name, verdict }) => `${name} ${verdict}`);
}

function without(snapshot: Snapshot, resource: string): Snapshot {
  return {
    source: snapshot.source,
    serverVersion: "v1.36.3",
    problems: [],
    secretsDropped: 0,
    notSeen: [{ resource, why: "forbidden" }],
    [Symbol.iterator]: () => snapshot[Symbol.iterator](),
  };
}

test("a cluster seen whole is safe", () => {
  const report = checkReport(readExample("modelplane-fixed"), played);
  assert.deepEqual(verdicts(report), ["chat-0 safe"]);
  assert.deepEqual(report.problems, []);
});

test("with webhooks unseen it is undecided, and says why", () => {
  const resource = "validatingwebhookconfigurations.admissionregistration.k8s.io";
  const report = checkReport(without(readExample("modelplane-fixed"), resource), played);
  assert.deepEqual(verdicts(report), ["chat-0 undecided"]);
  assert.deepEqual(report.cluster.notSeen, [{ resource, why: "forbidden" }]);
  const told = report.endpoints[0]?.notModelled.map(({ what }) => what) ?? [];
  assert.deepEqual(told, [`${resource} were not seen (forbidden)`]);
});

/** The example, but for some of its pods. */
function withoutPods(example: string, isLeftOut: (namespace: string) => boolean): Snapshot {
  const whole = readExample(example);
  return snapshotOver(whole, {
    source: whole.source,
    *[Symbol.iterator]() {
      for (const item of whole) {
        const { kind, metadata } = item.object;
        if (kind !== "Pod" || !isLeftOut(String(metadata["namespace"]))) yield item;
      }
    },
  });
}

for (const [name, isLeftOut] of [
  ["no pod", () => true],
  ["no pod of the name service's", (namespace) => namespace === "kube-system"],
  ["no pod but those of the model's namespace", (namespace) => namespace !== "mp-ml-team-5f2a9c"],
] satisfies readonly (readonly [string, (namespace: string) => boolean])[]) {
  for (const example of ["modelplane-fixed", "modelplane-incident"]) {
    test(`${example} with ${name} is neither safe nor down`, () => {
      const report = checkReport(withoutPods(example, isLeftOut), played);
      const isSure = name === "no pod" || example === "modelplane-fixed";
      if (isSure) assert.deepEqual(verdicts(report), ["chat-0 undecided"]);
      else assert.doesNotMatch(verdicts(report).join(), /safe/);
      assert.ok(report.cluster.notSeen.some(({ resource }) => resource === "pods"));
    });
  }
}

test("leases unseen are listed and change nothing", () => {
  const report = checkReport(without(readExample("modelplane-fixed"), "leases.coordination.k8s.io"), played);
  assert.deepEqual(verdicts(report), ["chat-0 safe"]);
  assert.equal(report.cluster.notSeen.length, 1);
});

test("an input that is broken in places is not called safe", () => {
  const whole = readExample("modelplane-fixed");
  const broken = loadText("kind: Pod\napiVersion: v1\nmetadata: [", "broken.yaml");
  const both: Snapshot = {
    source: "both",
    serverVersion: "",
    get problems() {
      return [...whole.problems, ...broken.problems];
    },
    notSeen: [],
    secretsDropped: 0,
    *[Symbol.iterator]() {
      yield* whole;
      yield* broken;
    },
  };
  const report = checkReport(both, played);
  assert.deepEqual(verdicts(report), ["chat-0 undecided"]);
  assert.ok(report.problems.length > 0);
});

test("an annotation nobody can read is a problem at its line", () => {
  const text = [
    "apiVersion: v1",
    "kind: Service",
    "metadata: { name: m, namespace: ns, annotations: { holdfast.dev/endpoint: m, holdfast.dev/max-down: soon } }",
    "spec: { selector: { app: m }, ports: [{ port: 80 }] }",
  ].join("\n");
  const report = checkReport(loadText(text, "m.yaml"));
  assert.deepEqual(
    report.problems.map(({ file, line, message }) => `${file}:${line} ${message}`),
    ["m.yaml:1 Service ns/m: holdfast.dev/max-down is no duration such as 30s or 1m30s, so it does not count."],
  );
});

test("what waits for pods that were made in place of unseen ones is open", async () => {
  const whole = readFileSync(join(import.meta.dirname, "..", "cli", "small-cluster.yaml"), "utf8");
  const folder = mkdtempSync(join(tmpdir(), "holdfast-unseen-"));
  const verdict = async (isSeen: boolean): Promise<unknown> => {
    const documents = whole.split("\n---\n").filter((document) => isSeen || !document.includes("kind: Pod\n"));
    writeFileSync(join(folder, "cluster.yaml"), documents.join("\n---\n"));
    const { out } = await holdfast(["simulate", "--from", folder, "--drain", "n1,n2", "-o", "json"]);
    return JSON.parse(out).verdict;
  };
  try {
    assert.equal(await verdict(true), "stalls");
    assert.equal(await verdict(false), "undecided");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
