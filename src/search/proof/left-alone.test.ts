import assert from "node:assert/strict";
import { test } from "node:test";
import { kuredQuestion, settledPool } from "../../../test/search/kured-pool.ts";
import { isJsonObject } from "../../wire/fields.ts";
import type { JsonObject, WireObject } from "../../wire/snapshot.ts";
import { judgeTimed } from "../judge.ts";
import { proveParts } from "../part/prove-parts.ts";
import { prove } from "./prove.ts";

// What a cluster does by itself is in no count of what stands there: each of these breaks or stalls when it is played.

const cases: readonly (readonly [string, readonly WireObject[], "proved" | "open"])[] = [
  ["nothing moves", settledPool, "proved"],
  ["DaemonSet's pods that are still to come leave room", [...settledPool, daemonSet("1", 0)], "proved"],
  ["or take all of it", [...settledPool, daemonSet("15900m", 0)], "open"],
  ["or drive others out", [...settledPool, daemonSet("15900m", 1000)], "open"],
  ["a rollout takes what it likes", settledPool.map(rolledOut), "open"],
  ["a job has more pods to come", [...settledPool, ...job()], "open"],
];

for (const [name, given, expected] of cases) {
  test(name, () => {
    const asked = kuredQuestion(given);
    const [endpoint] = asked.endpoints;
    assert.ok(endpoint !== undefined);
    const { verdict } = judgeTimed(asked, "feasible").endpoints[0] ?? {};
    const isProved = prove(asked).has(endpoint);
    assert.equal(isProved ? "proved" : "open", expected);
    assert.equal(verdict === "unsafe" || verdict === "stalls", expected === "open");
    const byParts = proveParts(asked, [endpoint]).proved.get(endpoint)?.neverStalls ?? false;
    assert.equal(byParts, expected === "proved");
  });
}

function podSpec(cpu: string): JsonObject {
  return { containers: [{ name: "main", image: "registry.example/other:1", resources: { requests: { cpu } } }] };
}

function daemonSet(cpu: string, priority: number): WireObject {
  const labels = { name: "agent" };
  const spec = { ...podSpec(cpu), priority, tolerations: [{ operator: "Exists" }] };
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { namespace: "kube-system", name: "agent", uid: "agent" },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

/** Ten in all, of which one is done and none runs. */
function job(): readonly WireObject[] {
  const labels = { job: "batch" };
  const spec = { ...podSpec("15500m"), restartPolicy: "Never" };
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "batch", uid: "batch", controller: true };
  return [
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { namespace: "others", name: "batch", uid: "batch" },
      spec: {
        parallelism: 6,
        completions: 10,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec },
      },
      status: { succeeded: 1 },
    },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "others", name: "batch-done", labels, ownerReferences: [owner] },
      spec: { ...spec, nodeName: "node-000" },
      status: { phase: "Succeeded" },
    },
  ];
}

/** Its image was changed a moment ago, and two may be away while it is rolled out. */
function rolledOut(object: WireObject): WireObject {
  const spec = fields(object["spec"]);
  if (object.kind !== "Deployment" || object.metadata["name"] !== "engine") return object;
  const template = fields(spec["template"]);
  const pod = { ...fields(template["spec"]), terminationGracePeriodSeconds: 31 };
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 2 } };
  return { ...object, spec: { ...spec, template: { ...template, spec: pod }, strategy } };
}

function fields(value: WireObject[string]): JsonObject {
  return isJsonObject(value) ? value : {};
}
