import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAllDocuments } from "yaml";
import { splicedYaml, withoutObject } from "./yaml-splice.ts";

const text = `# the gateway team's
apiVersion: v1
kind: Service
metadata: { name: epp, namespace: ns }
---
apiVersion: apps/v1   # do not move
kind: Deployment
metadata:
  name: epp
  namespace: ns
spec:
  replicas: 1  # one is enough?
  template:
    spec:
      containers:
      - name: main
        args: ["--a", '--b']

      # nothing below
---
kind: PodDisruptionBudget
apiVersion: policy/v1
metadata: { name: epp, namespace: ns }
spec: { minAvailable: 1, selector: { matchLabels: { app: epp } } }
`;

const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace: "ns", name: "epp" };
const budget = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", namespace: "ns", name: "epp" };

/** Lines that are not there any more, and those that are new. */
function difference(before: string, after: string | null): { readonly gone: string[]; readonly come: string[] } {
  const [old, now] = [before.split("\n"), (after ?? "").split("\n")];
  return { gone: old.filter((line) => !now.includes(line)), come: now.filter((line) => !old.includes(line)) };
}

describe("fields of a manifest text", () => {
  test("a plain value is replaced where it stands, its comment stays", () => {
    const after = splicedYaml(text, deployment, [{ path: "spec.replicas", value: 2 }]);
    assert.deepEqual(difference(text, after), {
      gone: ["  replicas: 1  # one is enough?"],
      come: ["  replicas: 2  # one is enough?"],
    });
  });

  test("a new field comes after the last one, at its indentation", () => {
    const after = splicedYaml(text, deployment, [
      { path: "spec.template.spec.topologySpreadConstraints", value: [{ maxSkew: 1, topologyKey: "zone" }] },
    ]);
    assert.deepEqual(difference(text, after), {
      gone: [],
      come: ["      topologySpreadConstraints:", "      - maxSkew: 1", "        topologyKey: zone"],
    });
  });

  test("a whole tree that is not there is made", () => {
    const after = splicedYaml(text, deployment, [{ path: "spec.strategy.rollingUpdate.maxSurge", value: 0 }]);
    const [, second] = parseAllDocuments(after ?? "");
    assert.equal(second?.getIn(["spec", "strategy", "rollingUpdate", "maxSurge"]), 0);
  });

  test("flow style stays flow style", () => {
    const after = splicedYaml(text, budget, [
      { path: "spec.selector", value: { matchLabels: { app: "other" } } },
      { path: "spec.maxUnavailable", value: 1 },
    ]);
    assert.deepEqual(difference(text, after), {
      gone: ["spec: { minAvailable: 1, selector: { matchLabels: { app: epp } } }"],
      come: ['spec: { minAvailable: 1, selector: {"matchLabels":{"app":"other"}}, "maxUnavailable": 1 }'],
    });
  });

  test("a value that is so already leaves every byte", () => {
    assert.equal(splicedYaml(text, deployment, [{ path: "spec.replicas", value: 1 }]), text);
  });

  test("a field is taken away with its line only", () => {
    const after = splicedYaml(text, deployment, [{ path: "spec.replicas", value: null }]);
    assert.deepEqual(difference(text, after), { gone: ["  replicas: 1  # one is enough?"], come: [] });
  });

  test("items of a list are found, and their dash stays", () => {
    const list = `apiVersion: v1\nitems:\n- kind: Deployment\n  apiVersion: apps/v1\n  metadata:\n    name: epp\n    namespace: ns\n  spec:\n    replicas: 1\n- kind: Other\n  apiVersion: v1\n  metadata: {name: x}\nkind: List\n`;
    assert.equal(
      splicedYaml(list, deployment, [{ path: "spec.replicas", value: 3 }]),
      list.replace("replicas: 1", "replicas: 3"),
    );
  });

  test("JSON stays JSON", () => {
    const json = JSON.stringify(
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "epp" }, spec: { replicas: 1 } },
      null,
      2,
    );
    const after = splicedYaml(json, deployment, [{ path: "spec.paused", value: true }]);
    assert.equal(JSON.parse(after ?? "").spec.paused, true);
  });

  test("an object that is not in the text is not made up", () => {
    assert.equal(splicedYaml(text, { ...deployment, name: "no" }, [{ path: "spec.replicas", value: 2 }]), null);
  });

  test("an object is taken out of a list", () => {
    const list = `items:\n- kind: A\n  metadata: {name: x}\n- kind: B\n  metadata: {name: y}\n`;
    const ref = { apiVersion: "v1", kind: "A", namespace: "", name: "x" };
    assert.equal(withoutObject(list, ref), "items:\n- kind: B\n  metadata: {name: y}\n");
  });
});
