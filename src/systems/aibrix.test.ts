import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway, object, pathsOf, pod, service, workload } from "../../test/support/serving.ts";

const engine = workload("qwen", { podLabels: { "model.aibrix.ai/name": "qwen" }, replicas: 2 });
const front = [
  { ...gateway("aibrix-eg", "aibrix-eg"), metadata: { name: "aibrix-eg", namespace: "aibrix-system" } },
  workload("envoy-aibrix", {
    namespace: "envoy-gateway-system",
    labels: {
      "app.kubernetes.io/managed-by": "envoy-gateway",
      "gateway.envoyproxy.io/owning-gateway-name": "aibrix-eg",
      "gateway.envoyproxy.io/owning-gateway-namespace": "aibrix-system",
    },
  }),
  workload("aibrix-gateway-plugins", { namespace: "aibrix-system", podLabels: { app: "gateway-plugins" } }),
  object(
    "gateway.networking.k8s.io/v1",
    "HTTPRoute",
    "qwen-router",
    { parentRefs: [{ name: "aibrix-eg" }], rules: [{ backendRefs: [{ name: "qwen", namespace: "ns" }] }] },
    { namespace: "aibrix-system" },
  ),
];

test("proxy and plugins are in front of every model", () => {
  assert.deepEqual(pathsOf([engine, service("qwen", { app: "qwen" }), ...front]), [
    "aibrix ns/qwen",
    "  gateway Deployment/envoy-aibrix x1; EnvoyProxy/aibrix-eg spec.provider.kubernetes.envoyDeployment.replicas",
    "  router Deployment/aibrix-gateway-plugins x1; helm gatewayPlugin.replicaCount",
    "  engine Deployment/qwen x2; Deployment/qwen spec.replicas",
  ]);
});

test("the plugins' Redis is named, and nobody else's", () => {
  const redis = (name: string, namespace: string) => workload(name, { namespace, image: "docker.io/library/redis:7" });
  const things = [engine, ...front, redis("aibrix-redis-master", "aibrix-system"), redis("other", "ns")];
  assert.deepEqual(
    pathsOf(things).filter((line) => line.startsWith("  !")),
    ["  ! the gateway plugins keep users and limits in it: whether they serve without it is not known"],
  );
});

test("a PodAutoscaler owns the replicas of what it scales", () => {
  const scaler = object("autoscaling.aibrix.ai/v1alpha1", "PodAutoscaler", "qwen", {
    scaleTargetRef: { kind: "Deployment", name: "qwen" },
  });
  assert.deepEqual(pathsOf([engine, scaler]).slice(-2), [
    "  engine Deployment/qwen x2; PodAutoscaler/qwen spec.minReplicas",
    "  ! the load, by which PodAutoscaler ns/qwen may take its 2 replicas down to 1",
  ]);
});

test("each role of a StormService is needed", () => {
  const roleSet = { apiVersion: "orchestration.aibrix.ai/v1alpha1", kind: "RoleSet", name: "pd-0" };
  const of = (name: string, role: string) =>
    pod(name, {
      labels: { "storm-service-name": "pd", "roleset-name": "pd-0", "role-name": role },
      owner: roleSet,
      gpus: 1,
    });
  assert.deepEqual(pathsOf([of("p", "prefill"), of("d1", "decode"), of("d2", "decode")]), [
    "aibrix ns/pd",
    "  engine(decode) RoleSet/pd-0 x2; StormService/pd spec.replicas",
    "  engine(prefill) RoleSet/pd-0 x1; StormService/pd spec.replicas",
    "  ! RoleSet is not in the input",
  ]);
});
