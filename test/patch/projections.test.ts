import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { projected } from "../../src/systems/projections/projection.ts";
import { projectionOf } from "../../src/systems/projections/registry.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";

// Owners as they were applied to running controllers (Envoy Gateway v1.9.1, KServe v0.20) and what those made of them.

const gatewayLabels = {
  "app.kubernetes.io/component": "proxy",
  "app.kubernetes.io/managed-by": "envoy-gateway",
  "app.kubernetes.io/name": "envoy",
  "gateway.envoyproxy.io/owning-gateway-name": "cluster-gateway",
  "gateway.envoyproxy.io/owning-gateway-namespace": "models",
};

function deployment(name: string, labels: JsonObject, spec: JsonObject = {}, pod: JsonObject = {}): WireObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "ns", labels },
    spec: { ...spec, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
  };
}

function owner(apiVersion: string, kind: string, spec: JsonObject): WireObject {
  return { apiVersion, kind, metadata: { name: "owner", namespace: "ns" }, spec };
}

function made(before: WireObject, after: WireObject, workload: WireObject): WireObject {
  const projection = projectionOf({ ...after, namespace: "ns", name: "owner" });
  assert.ok(projection);
  return projected(projection, { before, after }, workload);
}

describe("EnvoyProxy", () => {
  const version = "gateway.envoyproxy.io/v1alpha1";
  const before = owner(version, "EnvoyProxy", {
    provider: { type: "Kubernetes", kubernetes: { envoyDeployment: { replicas: 1 } } },
  });
  const spread = [
    {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: { "gateway.envoyproxy.io/owning-gateway-name": "cluster-gateway" } },
    },
  ];
  const kubernetes = {
    envoyDeployment: { replicas: 2, pod: { topologySpreadConstraints: spread } },
    envoyPDB: { maxUnavailable: 1 },
  };
  const after = owner(version, "EnvoyProxy", { provider: { type: "Kubernetes", kubernetes } });
  const proxies = deployment(
    "envoy-models-cluster-gateway-727f5551",
    gatewayLabels,
    { replicas: 1 },
    { affinity: { podAffinity: {} } },
  );

  test("replicas and spread arrive; what it leaves unset stays", () => {
    assert.deepEqual(
      made(before, after, proxies)["spec"],
      deployment(
        "",
        gatewayLabels,
        { replicas: 2 },
        { affinity: { podAffinity: {} }, topologySpreadConstraints: spread },
      )["spec"],
    );
  });

  test("its budget has the Deployment's name, labels and selector", () => {
    const ref = { apiVersion: version, kind: "EnvoyProxy", namespace: "ns", name: "owner" };
    assert.deepEqual(projectionOf(ref)?.objects(after, proxies), [
      {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "envoy-models-cluster-gateway-727f5551", namespace: "ns", labels: gatewayLabels },
        spec: { maxUnavailable: 1, selector: { matchLabels: gatewayLabels } },
      },
    ]);
    assert.deepEqual(projectionOf(ref)?.objects(before, proxies), []);
  });

  test("what it no longer states goes", () => {
    assert.deepEqual(made(after, before, made(before, after, proxies))["spec"], proxies["spec"]);
  });
});

test("InferenceService: minReplicas, affinity and strategy of the predictor", () => {
  const labels = {
    app: "isvc.mistral-predictor",
    component: "predictor",
    "serving.kserve.io/inferenceservice": "mistral",
  };
  const before = owner("serving.kserve.io/v1beta1", "InferenceService", { predictor: { minReplicas: 1 } });
  const predictor = { minReplicas: 2, affinity: { podAntiAffinity: {} }, deploymentStrategy: { type: "Recreate" } };
  const after = owner("serving.kserve.io/v1beta1", "InferenceService", { predictor });
  assert.deepEqual(
    made(before, after, deployment("mistral-predictor", labels, { replicas: 1 }))["spec"],
    deployment("", labels, { replicas: 2, strategy: { type: "Recreate" } }, { affinity: { podAntiAffinity: {} } })[
      "spec"
    ],
  );
});

describe("LLMInferenceService", () => {
  const base = { "app.kubernetes.io/name": "qwen", "app.kubernetes.io/part-of": "llminferenceservice" };
  const engine = {
    ...base,
    "app.kubernetes.io/component": "llminferenceservice-workload",
    "kserve.io/component": "workload",
  };
  const scheduler = { ...base, "app.kubernetes.io/component": "llminferenceservice-router-scheduler" };
  const version = "serving.kserve.io/v1alpha2";
  const before = owner(version, "LLMInferenceService", { replicas: 1, router: { scheduler: {} } });
  const after = owner(version, "LLMInferenceService", {
    replicas: 2,
    rolloutStrategy: { maxSurge: 0, maxUnavailable: 1 },
    template: { affinity: { podAntiAffinity: {} } },
    router: { scheduler: { replicas: 2 } },
  });

  test("its engines take replicas, rollout numbers and affinity", () => {
    const rolling = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
    assert.deepEqual(
      made(before, after, deployment("qwen-kserve", engine, { replicas: 1 }))["spec"],
      deployment("", engine, { replicas: 2, strategy: rolling }, { affinity: { podAntiAffinity: {} } })["spec"],
    );
  });

  test("its scheduler takes its own replicas and nothing of the engines'", () => {
    const recreate = { type: "Recreate" };
    assert.deepEqual(
      made(before, after, deployment("qwen-kserve-router-scheduler", scheduler, { replicas: 1, strategy: recreate }))[
        "spec"
      ],
      deployment("", scheduler, { replicas: 2, strategy: recreate })["spec"],
    );
  });
});
