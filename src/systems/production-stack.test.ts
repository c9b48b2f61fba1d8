import assert from "node:assert/strict";
import { test } from "node:test";
import { pathsOf, service, workload } from "../../test/support/serving.ts";

const router = workload("r-deployment-router", { labels: { environment: "router", release: "router" } });
const engine = (model: string) =>
  workload(`r-${model}-deployment-vllm`, { labels: { "helm-release-name": "r", model }, replicas: 2, gpus: 1 });

test("one endpoint a model, all behind the router", () => {
  const things = [
    router,
    service("r-router-service", { environment: "router" }),
    engine("qwen"),
    engine("llama"),
    service("r-engine-service", { "helm-release-name": "r" }),
  ];
  assert.deepEqual(pathsOf(things), [
    "production-stack ns/llama",
    "  router Deployment/r-deployment-router x1; helm routerSpec.replicaCount",
    "  engine Deployment/r-llama-deployment-vllm x2; helm servingEngineSpec.modelSpec[name=llama].replicaCount",
    "production-stack ns/qwen",
    "  router Deployment/r-deployment-router x1; helm routerSpec.replicaCount",
    "  engine Deployment/r-qwen-deployment-vllm x2; helm servingEngineSpec.modelSpec[name=qwen].replicaCount",
  ]);
});

test("the operator's kinds own what they make", () => {
  const owner = (kind: string, name: string) => ({ apiVersion: "production-stack.vllm.ai/v1alpha1", kind, name });
  const things = [
    workload("front", { owner: owner("VLLMRouter", "front") }),
    workload("m", { owner: owner("VLLMRuntime", "m") }),
  ];
  assert.deepEqual(pathsOf(things), [
    "production-stack ns/m",
    "  router Deployment/front x1; VLLMRouter/front spec.replicas",
    "  engine Deployment/m x1; VLLMRuntime/m spec.deploymentConfig.replicas",
  ]);
});
