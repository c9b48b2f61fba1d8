import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway, group, object, pathsOf, pool, route, service, toPool, workload } from "../../test/support/serving.ts";

const gatewayClass = object("gateway.networking.k8s.io/v1", "GatewayClass", "envoy", {
  controllerName: "gateway.envoyproxy.io/gatewayclass-controller",
  parametersRef: { kind: "EnvoyProxy", name: "cluster-gateway", namespace: "modelplane-system" },
});
const proxy = workload("envoy-1", {
  namespace: "envoy-gateway-system",
  labels: {
    "app.kubernetes.io/managed-by": "envoy-gateway",
    "gateway.envoyproxy.io/owning-gateway-name": "cluster-gateway",
    "gateway.envoyproxy.io/owning-gateway-namespace": "modelplane-system",
  },
});
const picker = workload("chat-epp", { podAnnotations: { "modelplane.ai/epp-config-checksum": "1" } });
const behind = [
  picker,
  service("chat-epp", { app: "chat-epp" }),
  pool("chat-pool", { "modelplane.ai/serving": "chat" }, "chat-epp"),
];
const front = [
  { ...gatewayClass, metadata: { name: "envoy" } },
  { ...gateway("cluster-gateway", "envoy"), metadata: { name: "cluster-gateway", namespace: "modelplane-system" } },
  proxy,
  object("gateway.networking.k8s.io/v1", "HTTPRoute", "chat", {
    parentRefs: [{ name: "cluster-gateway", namespace: "modelplane-system" }],
    rules: [{ backendRefs: [toPool("chat-pool")] }],
  }),
];
const engine = workload("chat-main", {
  podLabels: { "modelplane.ai/serving": "chat", "modelplane.ai/workload": "chat-main" },
  replicas: 2,
});

test("a replica is named by what it serves; its picker's replicas are in code, its proxies in the EnvoyProxy", () => {
  assert.deepEqual(pathsOf([...front, ...behind, engine]), [
    "modelplane ns/chat",
    "  gateway Deployment/envoy-1 x1; EnvoyProxy/cluster-gateway spec.provider.kubernetes.envoyDeployment.replicas",
    "  picker Deployment/chat-epp x1; code",
    "  engine Deployment/chat-main x2; code",
  ]);
});

test("engines over several nodes are counted in groups, found by the label on their leaders", () => {
  const groups = group("chat-big", {
    size: 4,
    replicas: 2,
    podLabels: { "modelplane.ai/serving": "chat", "modelplane.ai/lws-role": "leader" },
  });
  assert.deepEqual(pathsOf([...behind, groups]).slice(1), [
    "  picker Deployment/chat-epp x1; code",
    "  engine LeaderWorkerSet/chat-big x2 groups of 4; code",
  ]);
});

test("where the control plane is at hand, engines scale at the ModelDeployment", () => {
  const replica = object(
    "modelplane.ai/v1alpha1",
    "ModelReplica",
    "chat",
    {},
    {
      labels: { "modelplane.ai/deployment": "chat" },
    },
  );
  const named = {
    ...engine,
    ...workload("chat-main", {
      podLabels: { "modelplane.ai/serving": "chat", "modelplane.ai/workload": "w", "modelplane.ai/engine": "main" },
    }),
  };
  assert.deepEqual(
    pathsOf([...behind, replica, named]).at(-1),
    "  engine Deployment/chat-main x1; ModelDeployment/chat spec.template.spec.engines[name=main].copies",
  );
});

test("without its label, an engine is named as its workload is", () => {
  const replica = object(
    "modelplane.ai/v1alpha1",
    "ModelReplica",
    "chat",
    {},
    { labels: { "modelplane.ai/deployment": "chat" } },
  );
  const marks = { podLabels: { "modelplane.ai/serving": "chat", "modelplane.ai/workload": "w" } };
  const pathOf = (name: string): string | undefined => pathsOf([...behind, replica, workload(name, marks)]).at(-1);
  const place = "ModelDeployment/chat spec.template.spec.engines";
  assert.equal(
    pathOf("chat-long-context-x7k2q"),
    `  engine Deployment/chat-long-context-x7k2q x1; ${place}[name=long-context].copies`,
  );
  assert.equal(pathOf("other"), `  engine Deployment/other x1; ${place}[0].copies`);
});

test("a fleet service's engines are in other clusters", () => {
  const fleet = object("modelplane.ai/v1alpha1", "ModelService", "chat", {});
  const routed = object(
    "gateway.networking.k8s.io/v1",
    "HTTPRoute",
    "chat",
    { parentRefs: [{ name: "fleet" }], rules: [] },
    { labels: { "crossplane.io/composite": "chat" } },
  );
  const traefik = workload("traefik", { labels: { "app.kubernetes.io/name": "traefik" }, replicas: 2 });
  assert.deepEqual(pathsOf([fleet, routed, gateway("fleet", "traefik"), traefik]), [
    "modelplane ns/chat",
    "  gateway Deployment/traefik x2; helm deployment.replicas",
    "  engine ModelService/chat, outside; none",
  ]);
});

test("a pool of anybody else is not Modelplane's", () => {
  const other = [workload("vllm"), service("epp", { app: "epp" }), workload("epp"), pool("m", { app: "vllm" }, "epp")];
  assert.deepEqual(pathsOf([...other, route("m", "g", toPool("m"))])[0], "gateway-api-inference ns/m");
});
