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

test("a VirtualService that gives it weight 0 is not in front, unless it gives nobody any", () => {
  const weighted = (own: number, other: number): Thing => {
    const to = (host: string, weight: number): Thing => ({ destination: { host }, weight });
    const spec = { gateways: ["istio-system/edge"], http: [{ route: [to("m", own), to("other", other)] }] };
    return object(istio, "VirtualService", "chat", spec);
  };
  assert.deepEqual(lines(proxy, edge, weighted(10, 90)), [throughIstio, engine]);
  assert.deepEqual(lines(proxy, edge, weighted(0, 100)), [engine]);
  assert.deepEqual(lines(proxy, edge, weighted(0, 0)), [throughIstio, engine]);
});

test("a VirtualService that another one delegates to is behind the other's gateways", () => {
  const root = (name: string): Thing =>
    object(istio, "VirtualService", "root", { gateways: ["istio-system/edge"], http: [{ delegate: { name } }] });
  assert.deepEqual(lines(proxy, edge, virtual("m", []), root("chat")), [throughIstio, engine]);
  assert.deepEqual(lines(proxy, edge, virtual("m", []), root("other")), [engine]);
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

const routes: readonly (readonly [string, Thing])[] = [
  ["Contour", object("projectcontour.io/v1", "HTTPProxy", "c", { routes: [{ services: [{ name: "m" }] }] })],
  ["APISIX", object("apisix.apache.org/v2", "ApisixRoute", "a", { http: [{ backends: [{ serviceName: "m" }] }] })],
  [
    "KEDA's interceptor",
    object("http.keda.sh/v1alpha1", "HTTPScaledObject", "k", { scaleTargetRef: { service: "m" } }),
  ],
];
for (const [name, route] of routes) {
  test(`${name} is in front, and said not to be known where its pods are not there`, () => {
    assert.match(lines(route).at(-1) ?? "", /^ {2}! the proxies behind /);
    assert.deepEqual(lines(route).slice(0, -1), [engine]);
  });
}

test("Contour's Envoys and APISIX's pods", () => {
  const envoy = workload("envoy", { kind: "DaemonSet", namespace: "projectcontour", labels: { app: "envoy" } });
  const apisix = workload("apisix", {
    namespace: "apisix",
    labels: { "app.kubernetes.io/name": "apisix" },
    replicas: 2,
  });
  assert.equal(lines(envoy, routes[0]?.[1] ?? {})[0], "  gateway DaemonSet/envoy; none");
  assert.equal(lines(apisix, routes[1]?.[1] ?? {})[0], "  gateway Deployment/apisix x2; helm replicaCount");
});

const labels = { "app.kubernetes.io/name": "http-add-on", "app.kubernetes.io/component": "interceptor" };
const interceptor = workload("interceptor", { namespace: "keda", labels });
const scaled = (host: string): Thing =>
  object("http.keda.sh/v1alpha1", "HTTPScaledObject", "k", { hosts: [host], scaleTargetRef: { service: "m" } });
const nginx = workload("nginx", {
  namespace: "ingress",
  labels: { "app.kubernetes.io/name": "ingress-nginx", "app.kubernetes.io/component": "controller" },
});
const toInterceptor = [
  nginx,
  interceptor,
  service("proxy", labels, { namespace: "keda" }),
  object(
    "networking.k8s.io/v1",
    "Ingress",
    "i",
    { rules: [{ host: "a.example", http: { paths: [{ backend: { service: { name: "proxy" } } }] } }] },
    { namespace: "keda" },
  ),
];

test("what leads to KEDA's interceptor for the same host is in front of it", () => {
  assert.deepEqual(
    lines(...toInterceptor, scaled("a.example")).map((line) => line.split(";")[0]),
    ["  gateway Deployment/nginx x1", "  gateway Deployment/interceptor x1", engine.split(";")[0]],
  );
  assert.deepEqual(
    lines(...toInterceptor, scaled("b.example")).map((line) => line.split(";")[0]),
    ["  gateway Deployment/interceptor x1", engine.split(";")[0]],
  );
});
