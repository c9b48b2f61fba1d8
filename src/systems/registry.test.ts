import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway, object, pathsOf, route, service, supportingOf, workload } from "../../test/support/serving.ts";
import { systems } from "./registry.ts";

const engine = [workload("m", { gpus: 1 }), service("m", { app: "m" })];
const toService = { name: "m" };

test("every system is named once and says how it is recognised", () => {
  assert.equal(new Set(systems.map(({ name }) => name)).size, systems.length);
  for (const { name, about, title } of systems) {
    assert.match(name, /^[a-z][a-z-]*$/);
    assert.notEqual(title, "");
    assert.match(about, /\.$/, name);
  }
});

test("each gateway's proxies are found and owned", () => {
  const byLabel = (labels: object) =>
    workload("proxy", { labels: { "gateway.networking.k8s.io/gateway-name": "g", ...labels } });
  const line = (className: string, ...more: object[]): string | undefined =>
    pathsOf([
      ...engine,
      gateway("g", className),
      route("r", "g", toService),
      ...more.map((thing) => ({ ...thing })),
    ])[1];
  assert.equal(
    line("istio", byLabel({ "gateway.istio.io/managed": "istio.io-gateway-controller" })),
    "  gateway Deployment/proxy x1; ConfigMap/proxy data.deployment spec.replicas",
  );
  assert.equal(
    line("kgateway", byLabel({ kgateway: "kube-gateway" })),
    "  gateway Deployment/proxy x1; GatewayParameters/proxy spec.kube.deployment.replicas",
  );
  assert.equal(
    line("agentgateway", byLabel({ "app.kubernetes.io/managed-by": "agentgateway" })),
    "  gateway Deployment/proxy x1; AgentgatewayParameters/proxy spec.deployment.spec.replicas",
  );
  assert.equal(
    line("traefik", workload("traefik", { labels: { "app.kubernetes.io/name": "traefik" } })),
    "  gateway Deployment/traefik x1; helm deployment.replicas",
  );
  assert.equal(line("gke-l7-regional-external-managed"), "  gateway Gateway/g, outside; none");
  assert.equal(line("anything", byLabel({})), "  gateway Deployment/proxy x1; Deployment/proxy spec.replicas");
  assert.equal(line("anything"), "  engine Deployment/m x1; Deployment/m spec.replicas");
});

test("parameters are found by the Gateway first, then by its class", () => {
  const proxy = workload("proxy", {
    labels: { kgateway: "kube-gateway", "gateway.networking.k8s.io/gateway-name": "g" },
  });
  const gatewayClass = {
    ...object("gateway.networking.k8s.io/v1", "GatewayClass", "kgateway", {
      controllerName: "kgateway.dev/kgateway",
      parametersRef: { name: "of-class", namespace: "sys" },
    }),
    metadata: { name: "kgateway" },
  };
  const line = (spec: object): string | undefined =>
    pathsOf([...engine, gatewayClass, gateway("g", "kgateway", { ...spec }), route("r", "g", toService), proxy])[1];
  assert.equal(line({}), "  gateway Deployment/proxy x1; GatewayParameters/of-class spec.kube.deployment.replicas");
  assert.equal(
    line({ infrastructure: { parametersRef: { name: "own" } } }),
    "  gateway Deployment/proxy x1; GatewayParameters/own spec.kube.deployment.replicas",
  );
});

test("ingress controllers stand in front of Ingresses, clouds' ones outside", () => {
  const ingress = (ingressClassName: string) =>
    object("networking.k8s.io/v1", "Ingress", "i", {
      ingressClassName,
      rules: [{ http: { paths: [{ backend: { service: { name: "m" } } }] } }],
    });
  const nginx = workload("nginx", {
    labels: { "app.kubernetes.io/name": "ingress-nginx", "app.kubernetes.io/component": "controller" },
  });
  assert.equal(
    pathsOf([...engine, nginx, ingress("nginx")])[1],
    "  gateway Deployment/nginx x1; helm controller.replicaCount",
  );
  assert.equal(pathsOf([...engine, ingress("alb")])[1], "  gateway Ingress/i, outside; none");
  assert.equal(
    pathsOf([...engine, ingress("nginx")]).at(-1),
    "  ! the controller of ingress class nginx is not in the input",
  );
});

test("controllers are supporting, by the chart's labels or by name", () => {
  const named = [
    "ai-gateway-controller",
    "cert-manager",
    "cert-manager-cainjector",
    "cert-manager-webhook",
    "envoy-gateway",
    "lws-controller-manager",
    "trust-manager",
  ];
  assert.deepEqual(
    supportingOf([
      ...engine,
      ...named.map((name) => workload(name)),
      workload("otel", { image: "otel/opentelemetry-collector:1" }),
    ]),
    [
      "controller AI Gateway controller",
      "controller cert-manager controller",
      "controller cert-manager CA injector",
      "controller cert-manager webhook",
      "controller Envoy Gateway controller",
      "controller LWS controller",
      "collector Collector",
      "controller trust-manager",
    ],
  );
});

test("Envoy Gateway's proxies are the Gateway's own, or those its class merges gateways into", () => {
  const managed = { "app.kubernetes.io/managed-by": "envoy-gateway" };
  const own = {
    ...managed,
    "gateway.envoyproxy.io/owning-gateway-name": "g",
    "gateway.envoyproxy.io/owning-gateway-namespace": "ns",
  };
  const merged = { ...managed, "gateway.envoyproxy.io/owning-gatewayclass": "eg" };
  const front = [...engine, gateway("g", "eg"), route("r", "g", toService)];
  const proxies = [workload("own", { labels: own }), workload("merged", { labels: merged })];
  assert.match(pathsOf([...front, ...proxies])[1] ?? "", /Deployment\/own x1/);
  assert.match(pathsOf([...front, ...proxies.slice(1)])[1] ?? "", /Deployment\/merged x1/);
});
