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
