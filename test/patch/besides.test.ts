import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Change, FixReport } from "../../src/report/types.ts";
import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { readExample } from "../support/assess.ts";
import { fixReport, snapshotOf } from "../support/fix.ts";
import { budget, node, service, workload } from "./small-cluster.ts";

function shown({ holds, target, fields }: Change): readonly string[] {
  return fields.map(({ path, value }) => `${holds} ${target.kind} ${path}=${JSON.stringify(value)}`);
}

function offered(report: FixReport): readonly string[] {
  const offer = report.alternatives.find(({ why }) => why.startsWith("lets answers in flight finish"));
  return (offer?.changes ?? []).flatMap(shown);
}

/** Routes that promise an answer within this. */
function promising(
  request: string,
  edited: (object: WireObject) => WireObject = (object) => object,
): readonly WireObject[] {
  return [...readExample("modelplane-incident")].map(({ object }) => {
    const spec = object["spec"];
    if (object.kind !== "HTTPRoute" || !isJsonObject(spec)) return edited(object);
    const rules = Array.isArray(spec["rules"]) ? spec["rules"].filter(isJsonObject) : [];
    return { ...object, spec: { ...spec, rules: rules.map((rule) => ({ ...rule, timeouts: { request } })) } };
  });
}

describe("a route that promises five minutes", () => {
  test("is given them, at the proxy's owner and at the engine", () => {
    assert.deepEqual(offered(fixReport(snapshotOf(promising("300s")))), [
      'live EnvoyProxy spec.shutdown.drainTimeout="300s"',
      "live Deployment spec.template.spec.terminationGracePeriodSeconds=300",
    ]);
  });

  test("and nothing is offered where less is promised", () => {
    assert.deepEqual(offered(fixReport(snapshotOf(promising("10s")))), []);
  });
});

test("a proxy that says so already is left as it is", () => {
  const edited = (object: WireObject): WireObject => {
    const spec = object["spec"];
    if (object.kind === "EnvoyProxy" && isJsonObject(spec))
      return { ...object, spec: { ...spec, shutdown: { drainTimeout: "5m" } } };
    const isProxy = object.kind === "Deployment" && String(object.metadata["name"]).startsWith("envoy-modelplane");
    return isProxy && isJsonObject(spec) ? { ...object, spec: withGrace(spec, 600) } : object;
  };
  assert.deepEqual(offered(fixReport(snapshotOf(promising("300s", edited)))), [
    "live Deployment spec.template.spec.terminationGracePeriodSeconds=300",
  ]);
});

function withGrace(spec: JsonObject, terminationGracePeriodSeconds: number): JsonObject {
  const template = isJsonObject(spec["template"]) ? spec["template"] : {};
  const pod = isJsonObject(template["spec"]) ? template["spec"] : {};
  return { ...spec, template: { ...template, spec: { ...pod, terminationGracePeriodSeconds } } };
}

/** A pod of high priority beside two engines: driven out of its node, it takes their room. */
function crowded(classes: readonly JsonObject[]): readonly WireObject[] {
  const priority = { priorityClassName: "batch", priority: 1000 };
  return [
    node("a", 8000),
    node("b", 4000),
    ...classes.map((one) => ({ apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: {}, ...one })),
    ...workload({ namespace: "m", name: "batch", on: ["a"], milliCpu: 3000, pod: priority }),
    ...workload({ namespace: "m", name: "engine", on: ["b", "b"], milliCpu: 1500 }),
    service("m", "engine", { app: "engine" }, "chat"),
    budget("m", "engine", { maxUnavailable: 1, selector: { matchLabels: { app: "engine" } } }),
  ];
}

describe("engines that a driven-out pod of higher priority pushes aside", () => {
  const batch = { metadata: { name: "batch" }, value: 1000 };
  const higher = { metadata: { name: "serving" }, value: 2000 };
  test("get the lowest class that nobody beside them exceeds", () => {
    const report = fixReport(snapshotOf(crowded([higher, batch])));
    assert.deepEqual(
      report.before.map(({ verdict }) => verdict),
      ["unsafe"],
    );
    assert.deepEqual(
      report.after.map(({ verdict }) => verdict),
      ["safe"],
    );
    assert.ok(report.changes.flatMap(shown).includes('live Deployment spec.template.spec.priorityClassName="batch"'));
  });
});
