import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway, object, route, service, servingCluster, type Thing, workload } from "../../test/support/serving.ts";
import { endpointsOf } from "./build.ts";

const model = [workload("m", { gpus: 1 }), service("m", { app: "m" }), gateway("g", "envoy")];
const plain = route("r", "g", { name: "m" });
const stating = (request: string): Thing =>
  object("gateway.networking.k8s.io/v1", "HTTPRoute", "r", {
    parentRefs: [{ name: "g" }],
    rules: [{ backendRefs: [{ name: "m" }], timeouts: { request } }],
  });
const policy = (kind: string, name: string, requestTimeout: string): Thing =>
  object("gateway.envoyproxy.io/v1alpha1", "BackendTrafficPolicy", `${kind}-${name}`.toLowerCase(), {
    targetRefs: [{ group: "gateway.networking.k8s.io", kind, name }],
    timeout: { http: { requestTimeout } },
  });
const virtualService = (timeout: object): Thing =>
  object("networking.istio.io/v1", "VirtualService", "v", {
    gateways: ["istio-system/in"],
    http: [{ route: [{ destination: { host: "m" } }], ...timeout }],
  });
const httpProxy = (response: string): Thing =>
  object("projectcontour.io/v1", "HTTPProxy", "p", {
    routes: [{ services: [{ name: "m", port: 80 }], timeoutPolicy: { response } }],
  });

const rows: readonly (readonly [name: string, things: readonly Thing[], longestMs: number | null])[] = [
  ["none is stated", [plain], null],
  ["the route's own", [stating("600s")], 600_000],
  ["no limit", [stating("0s")], null],
  ["Envoy Gateway's policy of the route", [plain, policy("HTTPRoute", "r", "5m")], 300_000],
  ["its policy of the Gateway", [plain, policy("Gateway", "g", "2m")], 120_000],
  ["the route's own comes first", [stating("600s"), policy("HTTPRoute", "r", "5m")], 600_000],
  ["somebody else's policy", [plain, policy("HTTPRoute", "other", "5m")], null],
  ["Istio's VirtualService", [virtualService({ timeout: "90s" })], 90_000],
  ["which has no limit by itself", [virtualService({})], null],
  ["Contour's HTTPProxy", [httpProxy("20m")], 1_200_000],
  ["without end", [httpProxy("infinity")], null],
];

for (const [name, things, longestMs] of rows)
  test(name, () => {
    const [endpoint] = endpointsOf(servingCluster([...model, ...things])).endpoints;
    assert.equal(endpoint?.requestTimeoutMs, longestMs);
  });
