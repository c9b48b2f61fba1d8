import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Change } from "../../src/report/types.ts";
import { isJsonObject } from "../../src/wire/fields.ts";
import type { WireObject } from "../../src/wire/snapshot.ts";
import { readExample } from "../support/assess.ts";
import { fixReport, snapshotOf } from "../support/fix.ts";

// Where a gateway runs on its controller's defaults, the object that holds its knobs has to be made, and named.

function objectsOf(example: string): readonly WireObject[] {
  return [...readExample(example)].map(({ object }) => object);
}

function specOf({ spec }: WireObject): { readonly [field: string]: unknown } {
  return isJsonObject(spec) ? spec : {};
}

function shown({ do: what, target, fields }: Change): string {
  return `${what} ${target.kind} ${target.namespace}/${target.name}${what === "create" ? "" : ` ${fields.map(({ path }) => path).join(" ")}`}`;
}

describe("an Envoy gateway without an EnvoyProxy", () => {
  const objects = objectsOf("modelplane-incident").flatMap((object) => {
    if (object.kind === "EnvoyProxy") return [];
    if (object.kind !== "GatewayClass") return [object];
    const { parametersRef: _, ...spec } = specOf(object);
    return [{ ...object, spec } as WireObject];
  });
  const { changes, after } = fixReport(snapshotOf(objects));
  const made = changes.filter(({ target }) => target.kind === "EnvoyProxy" || target.kind === "Gateway");

  test("gets one beside the Gateway, and the Gateway names it", () => {
    assert.deepEqual(made.map(shown), [
      "create EnvoyProxy modelplane-system/cluster-gateway",
      "edit Gateway modelplane-system/cluster-gateway spec.infrastructure.parametersRef",
    ]);
    assert.deepEqual(made[1]?.fields[0]?.value, {
      group: "gateway.envoyproxy.io",
      kind: "EnvoyProxy",
      name: "cluster-gateway",
    });
  });

  test("with replicas, budget and spread in it", () => {
    const spec = made[0]?.object?.["spec"];
    const text = JSON.stringify(spec);
    assert.match(text, /^\{"provider":\{"type":"Kubernetes",/);
    assert.match(text, /"envoyDeployment":\{"replicas":2,"pod":\{"topologySpreadConstraints":/);
    assert.match(text, /"envoyPDB":\{"maxUnavailable":1\}/);
  });

  test("and is safe then", () =>
    assert.deepEqual(
      after.map(({ verdict }) => verdict),
      ["safe"],
    ));
});

describe("an Istio gateway of one proxy without a ConfigMap", () => {
  const proxy = "openshift-ai-inference-openshift-default";
  let left = 1;
  const objects = objectsOf("openshift-two-replicas").flatMap((object) => {
    const name = String(object.metadata["name"]);
    if (object.kind === "PodDisruptionBudget" && name === proxy) return [];
    if (object.kind === "ConfigMap") return [];
    if (object.kind === "Gateway") {
      const { infrastructure: _, ...spec } = specOf(object);
      return [{ ...object, spec } as WireObject];
    }
    if (object.kind === "Pod" && name.startsWith(proxy) && left-- <= 0) return [];
    const isMade = (object.kind === "Deployment" || object.kind === "ReplicaSet") && name.startsWith(proxy);
    return [isMade ? ({ ...object, spec: { ...specOf(object), replicas: 1 } } as WireObject) : object];
  });
  const { before, changes, after } = fixReport(snapshotOf(objects));
  const map = changes.find(({ target }) => target.kind === "ConfigMap");

  test("gets one with both texts, and the Gateway names it", () => {
    assert.deepEqual(
      before.map(({ verdict }) => verdict),
      ["unsafe", "safe"],
    );
    assert.deepEqual(changes.map(shown), [
      `create ConfigMap openshift-ingress/${proxy}`,
      "edit Gateway openshift-ingress/openshift-ai-inference spec.infrastructure.parametersRef",
    ]);
    const data = map?.object?.["data"];
    assert.ok(isJsonObject(data));
    assert.match(String(data["deployment"]), /^spec:\n {2}replicas: 2\n/);
  });

  test("and is safe then", () =>
    assert.deepEqual(
      after.map(({ verdict }) => verdict),
      ["safe", "safe"],
    ));
});
