import assert from "node:assert/strict";
import { test } from "node:test";
import { group, object, service, servingCluster, type Thing, workload } from "../../test/support/serving.ts";
import { factsOf } from "../systems/facts.ts";
import { webhookHops } from "./webhooks.ts";

function webhook(more: Thing): Thing {
  const one = {
    name: "pods.example.com",
    failurePolicy: "Fail",
    clientConfig: { service: { namespace: "ns", name: "hook", port: 443 } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
    ...more,
  };
  return {
    ...object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hook", {}),
    webhooks: [one],
  };
}

const backend = [workload("hook"), service("hook", { app: "hook" })];

function found(more: Thing, things: readonly Thing[] = backend): readonly string[] {
  const facts = factsOf(servingCluster([workload("engine"), ...things, webhook(more)]));
  const { hops, notModelled } = webhookHops(
    facts,
    facts.parts.filter(({ workload }) => workload.ref.name === "engine"),
  );
  return [
    ...hops.map(({ hop, ref, onPath }) => `${hop} ${ref.name}${onPath ? " on the path" : ""}`),
    ...notModelled.map(({ what }) => what),
  ];
}

test("what must answer before a part's pod is created again is told", () => {
  assert.deepEqual(found({}), ["webhook hook"]);
});

test("not what is ignored when it fails, sees other operations, or other pods", () => {
  assert.deepEqual(found({ failurePolicy: "Ignore" }), []);
  assert.deepEqual(
    found({ rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["pods"] }] }),
    [],
  );
  assert.deepEqual(found({ objectSelector: { matchLabels: { app: "other" } } }), []);
  assert.deepEqual(found({ objectSelector: { matchLabels: { app: "engine" } } }), ["webhook hook"]);
  assert.deepEqual(found({ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "elsewhere" } } }), []);
  assert.deepEqual(found({ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ns" } } }), [
    "webhook hook",
  ]);
});

test("a backend that cannot be followed is said not to be modelled", () => {
  assert.deepEqual(found({ clientConfig: { url: "https://hook.example.com" } }), [
    "webhook pods.example.com is answered at a URL outside what is modelled",
  ]);
  assert.deepEqual(found({}, []), ["the Service ns/hook behind webhook pods.example.com is not in the input"]);
  assert.deepEqual(found({ matchConditions: [{ name: "a", expression: "true" }] }), [
    "webhook pods.example.com has match conditions, which are not evaluated",
  ]);
});

test("a group's pods carry labels that only its controller adds", () => {
  const hook = webhook({
    objectSelector: { matchExpressions: [{ key: "leaderworkerset.sigs.k8s.io/name", operator: "Exists" }] },
  });
  const facts = factsOf(servingCluster([group("big", { size: 2 }), ...backend, hook]));
  assert.deepEqual(
    webhookHops(
      facts,
      facts.parts.filter(({ workload }) => workload.ref.name === "big"),
    ).hops.map(({ ref }) => ref.name),
    ["hook"],
  );
});

test("one that sees its own pods says so: nothing brings it back", () => {
  const because = (more: Thing): readonly string[] => {
    const facts = factsOf(servingCluster([workload("engine"), ...backend, webhook(more)]));
    return webhookHops(facts, facts.parts).hops.map(({ neededBecause }) => neededBecause);
  };
  assert.match(because({})[0] ?? "", /nor one of its own\.$/);
  assert.doesNotMatch(because({ objectSelector: { matchLabels: { app: "engine" } } })[0] ?? "", /its own/);
});
