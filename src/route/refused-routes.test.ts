import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway, object, pathsOf, service, type Thing, workload } from "../../test/support/serving.ts";

const group = "gateway.networking.k8s.io";
const model = [workload("m", { gpus: 1 }), service("m", { app: "m" })];
const front = [gateway("g", "istio"), workload("proxy", { labels: { [`${group}/gateway-name`]: "g" } })];

const route = (name: string, namespace: string, ...conditions: readonly Thing[]): Thing => ({
  ...object(
    `${group}/v1`,
    "HTTPRoute",
    name,
    { parentRefs: [{ name: "g", namespace: "ns" }], rules: [{ backendRefs: [{ name: "m", namespace: "ns" }] }] },
    { namespace },
  ),
  status: { parents: [{ parentRef: { name: "g" }, conditions }] },
});
const grant = (from: Thing, to: Thing = {}, namespace = "ns"): Thing =>
  object(
    `${group}/v1beta1`,
    "ReferenceGrant",
    "grant",
    {
      from: [{ group, kind: "HTTPRoute", namespace: "edge", ...from }],
      to: [{ group: "", kind: "Service", ...to }],
    },
    { namespace },
  );
const condition = (type: string, status: string, reason: string): Thing => ({ type, status, reason });
const notPermitted = condition("ResolvedRefs", "False", "RefNotPermitted");
const missing = "  ! no ReferenceGrant in ns lets the route send requests there";

const rows: readonly (readonly [string, readonly Thing[], readonly string[]])[] = [
  ["of its own namespace", [route("r", "ns")], []],
  ["of another, its controller says that it may not", [route("r", "edge", notPermitted)], [missing]],
  ["and a grant lets it, whatever was said before", [route("r", "edge", notPermitted), grant({})], []],
  ["a grant for this Service", [route("r", "edge"), grant({}, { name: "m" })], []],
  ["a grant for another Service", [route("r", "edge"), grant({}, { name: "other" })], [missing]],
  ["a grant for another namespace's routes", [route("r", "edge"), grant({ namespace: "far" })], [missing]],
  ["a grant for other routes", [route("r", "edge"), grant({ kind: "GRPCRoute" })], [missing]],
  ["a grant elsewhere", [route("r", "edge"), grant({}, {}, "edge")], [missing]],
  [
    "a grant elsewhere, but its controller has found all it names",
    [route("r", "edge", condition("ResolvedRefs", "True", "ResolvedRefs")), grant({}, {}, "edge")],
    [],
  ],
  ["no grant was read, and nobody says anything", [route("r", "edge")], []],
  ["beside one that may", [route("r", "edge", notPermitted), route("own", "ns")], []],
  [
    "no gateway takes it on",
    [route("r", "edge", condition("Accepted", "False", "NotAllowedByListeners"))],
    ["  ! no gateway takes the route on: NotAllowedByListeners"],
  ],
  [
    "one of two gateways does",
    [route("r", "ns", condition("Accepted", "False", "NoMatchingParent"), condition("Accepted", "True", "Accepted"))],
    [],
  ],
];

for (const [what, things, gaps] of rows) {
  test(`a route to a model, ${what}`, () => {
    const lines = pathsOf([...model, ...front, ...things]);
    assert.ok(lines.some((line) => line.startsWith("  gateway Deployment/proxy")));
    assert.deepEqual(
      lines.filter((line) => line.includes("ReferenceGrant") || line.includes("takes the route on")),
      gaps,
    );
  });
}
