import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway, object, pathsOf, route, service, type Thing, workload } from "../../test/support/serving.ts";

const model = [workload("m", { gpus: 1 }), service("m", { app: "m" })];
const proxy = workload("proxy", { labels: { "gateway.networking.k8s.io/gateway-name": "g" } });
const eg = "gateway.envoyproxy.io/v1alpha1";
const ai = "aigateway.envoyproxy.io/v1alpha1";
const backend = object(eg, "Backend", "m", { endpoints: [{ fqdn: { hostname: "m.ns.svc.cluster.local", port: 80 } }] });

function isInFront(...things: readonly Thing[]): boolean {
  const lines = pathsOf([...model, gateway("g", "istio"), proxy, ...things]);
  return lines.some((line) => line.startsWith("  gateway Deployment/proxy"));
}

test("a route that names the Service", () => {
  assert.equal(isInFront(route("r", "g", { name: "m" })), true);
  assert.equal(isInFront(route("r", "g", { name: "other" })), false);
});

test("a route to a listener by its name or port", () => {
  const to = (parent: Thing): Thing =>
    object("gateway.networking.k8s.io/v1", "HTTPRoute", "r", {
      parentRefs: [{ name: "l", ...parent }],
      rules: [{ backendRefs: [{ name: "m" }] }],
    });
  const listeners = [{ name: "http", port: 80, protocol: "HTTP" }];
  const listening = object("gateway.networking.k8s.io/v1", "Gateway", "l", { gatewayClassName: "istio", listeners });
  const proxyOf = workload("proxy", { labels: { "gateway.networking.k8s.io/gateway-name": "l" } });
  const isReached = (parent: Thing): boolean =>
    pathsOf([...model, listening, proxyOf, to(parent)]).some((line) => line.startsWith("  gateway Deployment/proxy"));
  const parents = [
    {},
    { sectionName: "http" },
    { port: 80 },
    { sectionName: "https" },
    { sectionName: "http", port: 443 },
  ];
  assert.deepEqual(parents.map(isReached), [true, true, true, false, false]);
});

test("a route that names a Backend of Envoy Gateway, by its name in DNS", () => {
  const named = route("r", "g", { group: "gateway.envoyproxy.io", kind: "Backend", name: "m" });
  assert.equal(isInFront(named, backend), true);
  const outside = object(eg, "Backend", "m", { endpoints: [{ fqdn: { hostname: "api.example.com", port: 443 } }] });
  assert.equal(isInFront(named, outside), false);
  assert.equal(isInFront(named), false);
});

test("a route of Envoy AI Gateway, through its AIServiceBackend", () => {
  const aiRoute = object(ai, "AIGatewayRoute", "r", {
    parentRefs: [{ name: "g" }],
    rules: [{ backendRefs: [{ name: "b" }] }],
  });
  const through = (backendRef: Thing): Thing => object(ai, "AIServiceBackend", "b", { backendRef });
  assert.equal(isInFront(aiRoute, through({ name: "m" })), true);
  assert.equal(
    isInFront(aiRoute, through({ group: "gateway.envoyproxy.io", kind: "Backend", name: "m" }), backend),
    true,
  );
  assert.equal(isInFront(aiRoute, through({ name: "other" })), false);
  assert.equal(isInFront(aiRoute), false);
});

test("a route that hands requests on to another one", () => {
  const child = object("gateway.networking.k8s.io/v1", "HTTPRoute", "child", {
    rules: [{ backendRefs: [{ name: "m" }] }],
  });
  const to = (name: string): Thing => route("r", "g", { group: "gateway.networking.k8s.io", kind: "HTTPRoute", name });
  assert.equal(isInFront(child, to("child")), true);
  assert.equal(isInFront(child, to("*")), true);
  assert.equal(isInFront(child, to("other")), false);
});

test("a route attached to a listener set of the Gateway", () => {
  const attached = object("gateway.networking.k8s.io/v1", "HTTPRoute", "r", {
    parentRefs: [{ group: "gateway.networking.x-k8s.io", kind: "XListenerSet", name: "ls" }],
    rules: [{ backendRefs: [{ name: "m" }] }],
  });
  const set = (name: string): Thing =>
    object("gateway.networking.x-k8s.io/v1alpha1", "XListenerSet", "ls", { parentRef: { name } });
  assert.equal(isInFront(attached, set("g")), true);
  assert.equal(isInFront(attached, set("other")), false);
});
