import assert from "node:assert/strict";
import { test } from "node:test";
import { noTiming } from "../cli/timing-fields.ts";
import { loadText } from "../load/from-files.ts";
import { kubectlDrain } from "../maintenance/actors/kubectl-drain.ts";
import { buildCluster } from "../model/build.ts";
import type { JsonObject } from "../wire/snapshot.ts";
import { planScenario } from "./plan-scenario.ts";

const labels = { app: "m1", "pod-template-hash": "6b7f" };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "m1:1" }] } };
const text = [
  {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "m1-6b7f", namespace: "serving", uid: "r-1" },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "m1-6b7f-aaaaa",
      namespace: "serving",
      labels,
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "m1-6b7f", uid: "r-1", controller: true }],
    },
    spec: template.spec,
  },
]
  .map((object) => JSON.stringify(object))
  .join("\n---\n");

/** A pod keeps its owner in the model, so that a label which takes it away from there has to be refused. */
for (const [title, changed, refused] of [
  ["another label is put on a pod", { canary: "yes" }, false],
  ["a label its owner selects by is changed", { app: "debug" }, true],
  ["a label its owner selects by is taken off", { "pod-template-hash": null }, true],
] satisfies readonly (readonly [string, JsonObject, boolean])[]) {
  test(title, () => {
    const snapshot = loadText(text, "cluster.yaml");
    const target = { apiVersion: "v1", kind: "Pod", namespace: "serving", name: "m1-6b7f-aaaaa" };
    const { problems, steps } = planScenario(
      snapshot,
      buildCluster(snapshot),
      {
        name: "labels",
        changes: [],
        body: {
          kind: "steps",
          steps: [{ do: "patch", target, type: "merge", patch: { metadata: { labels: changed } } }],
        },
        timing: noTiming,
        limits: { states: 1, horizonMs: 1 },
        choices: [],
      },
      kubectlDrain,
    );
    assert.deepEqual(
      problems.map(({ path, message }) => [path, /takes serving\/m1-6b7f-aaaaa out of the selector/.test(message)]),
      refused ? [["spec.steps[0]", true]] : [],
    );
    assert.deepEqual(
      steps.flatMap((step) => (step.do === "change" ? step.changes.map(({ what }) => what) : [])),
      refused ? [] : ["pod"],
    );
  });
}
