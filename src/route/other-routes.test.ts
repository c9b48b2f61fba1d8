import assert from "node:assert/strict";
import { test } from "node:test";
import { object, pathsOf, service, type Thing, workload } from "../../test/support/serving.ts";

const model = [workload("m", { gpus: 1 }), service("m", { app: "m" })];
const istio = "networking.istio.io/v1";
const proxy = workload("istio-ingressgateway", {
  namespace: "istio-system",
  labels: { istio: "ingressgateway" },
  image: "docker.io/istio/proxyv2:1.31",
});
const edge = object(istio, "Gateway", "edge", { selector: { istio: "ingressgateway" } }, { namespace: "istio-system" });
const virtual = (host: string, gateways: readonly string[] = ["istio-system/edge"]): Thing =>
  object(istio, "VirtualService", "chat", { gateways, http: [{ route: [{ destination: { host } }] }] });

function lines(...things: readonly Thing[]): readonly string[] {
  return pathsOf([...model, ...things]).slice(1);
}

const engine = "  engine Deployment/m x1; Deployment/m spec.replicas";
const throughIstio = "  gateway Deployment/istio-ingressgateway x1; helm autoscaling.minReplicas";

for (const host of ["m", "m.ns", "m.ns.svc.cluster.local"]) {
  test(`a VirtualService to ${host} puts its Gateway's pods in front`, () => {
    assert.deepEqual(lines(proxy, edge, virtual(host)), [throughIstio, engine]);
  });
}

test("a VirtualService to another Service, or to a host outside, is not in front", () => {
  assert.deepEqual(lines(proxy, edge, virtual("other"), virtual("m.other")), [engine]);
  assert.deepEqual(lines(proxy, edge, virtual("m.example.com")), [engine]);
});

test("a VirtualService of the mesh alone puts nothing in front", () => {
  assert.deepEqual(lines(proxy, edge, virtual("m", [])), [engine]);
  assert.deepEqual(lines(proxy, edge, virtual("m", ["mesh"])), [engine]);
});

test("a Gateway whose pods are not there is said, so that nothing is called safe", () => {
  assert.deepEqual(lines(edge, virtual("m")), [
    engine,
    "  ! the proxies behind VirtualService.networking.istio.io are not known here",
  ]);
  assert.equal(lines(proxy, virtual("m")).length, 2, "the Gateway itself is missing");
});

test("Traefik's own routes", () => {
  const traefik = workload("traefik", { namespace: "traefik", labels: { "app.kubernetes.io/name": "traefik" } });
  const route = (name: string): Thing =>
    object("traefik.io/v1alpha1", "IngressRoute", "chat", { routes: [{ services: [{ name, port: 80 }] }] });
  assert.deepEqual(lines(traefik, route("m")), ["  gateway Deployment/traefik x1; helm deployment.replicas", engine]);
  assert.deepEqual(lines(traefik, route("other")), [engine]);
});

const unknown: readonly (readonly [string, Thing])[] = [
  ["Contour", object("projectcontour.io/v1", "HTTPProxy", "c", { routes: [{ services: [{ name: "m" }] }] })],
  ["APISIX", object("apisix.apache.org/v2", "ApisixRoute", "a", { http: [{ backends: [{ serviceName: "m" }] }] })],
  [
    "KEDA's interceptor",
    object("http.keda.sh/v1alpha1", "HTTPScaledObject", "k", { scaleTargetRef: { service: "m" } }),
  ],
];
for (const [name, route] of unknown) {
  test(`${name} is in front, and not known`, () => {
    assert.match(lines(route).at(-1) ?? "", /^ {2}! the proxies behind /);
    assert.deepEqual(lines(route).slice(0, -1), [engine]);
  });
}
