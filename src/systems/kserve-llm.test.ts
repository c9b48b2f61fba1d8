import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway, group, object, pathsOf, pool, route, service, workload } from "../../test/support/serving.ts";

const llm = (name: string, spec: object = {}) =>
  object("serving.kserve.io/v1alpha2", "LLMInferenceService", name, { model: { name }, ...spec });
const labels = (name: string, component: string, more: object = {}) => ({
  "app.kubernetes.io/part-of": "llminferenceservice",
  "app.kubernetes.io/name": name,
  "app.kubernetes.io/component": component,
  ...more,
});
const engine = workload("qwen-kserve", {
  labels: labels("qwen", "llminferenceservice-workload", {
    "kserve.io/component": "workload",
    "llm-d.ai/role": "both",
  }),
  replicas: 2,
});
const scheduler = [
  workload("qwen-kserve-router-scheduler", { labels: labels("qwen", "llminferenceservice-router-scheduler") }),
  service("qwen-epp-service", { app: "qwen-kserve-router-scheduler" }),
  pool("qwen-inference-pool", { "kserve.io/component": "workload" }, "qwen-epp-service"),
];

test("engines and scheduler scale at the service; a gateway that is not seen is said", () => {
  const routed = route("qwen-kserve-route", "inference", {
    group: "inference.networking.x-k8s.io",
    kind: "InferencePool",
    name: "qwen-inference-pool",
  });
  assert.deepEqual(pathsOf([llm("qwen"), engine, ...scheduler, routed]), [
    "kserve-llm ns/qwen",
    "  picker Deployment/qwen-kserve-router-scheduler x1; LLMInferenceService/qwen spec.router.scheduler.replicas",
    "  engine Deployment/qwen-kserve x2; LLMInferenceService/qwen spec.replicas",
    "  ! the gateway is not in the input",
  ]);
});

test("the scheduler is spared where the gateway honours FailOpen", () => {
  const routed = route("qwen-kserve-route", "g", {
    group: "inference.networking.k8s.io",
    kind: "InferencePool",
    name: "qwen-inference-pool",
  });
  const proxy = workload("g-istio", { labels: { "gateway.networking.k8s.io/gateway-name": "g" } });
  const things = [llm("qwen"), engine, ...scheduler, routed, gateway("g", "openshift-default"), proxy];
  assert.deepEqual(
    pathsOf(things)[2],
    "  picker Deployment/qwen-kserve-router-scheduler x1, not needed; LLMInferenceService/qwen spec.router.scheduler.replicas",
  );
});

test("scaling moves the floor to spec.scaling", () => {
  assert.deepEqual(
    pathsOf([llm("qwen", { scaling: { minReplicas: 2 } }), engine]).at(-1),
    "  engine Deployment/qwen-kserve x2; LLMInferenceService/qwen spec.scaling.minReplicas",
  );
});

test("prefill that is scaled has its floor in its own scaling", () => {
  const prefill = workload("qwen-kserve-prefill", { labels: labels("qwen", "llminferenceservice-workload-prefill") });
  assert.match(
    pathsOf([llm("qwen", { prefill: { scaling: { minReplicas: 1 } } }), prefill]).at(-1) ?? "",
    /LLMInferenceService\/qwen spec\.prefill\.scaling\.minReplicas$/,
  );
  assert.match(
    pathsOf([llm("qwen", { scaling: { minReplicas: 1 } }), prefill]).at(-1) ?? "",
    /LLMInferenceService\/qwen spec\.prefill\.replicas$/,
  );
});

test("prefill is a role of its own, groups are units, the tokenizer is on the picker's way", () => {
  const things = [
    llm("qwen"),
    group("qwen-kserve-mn", {
      size: 2,
      podLabels: labels("qwen", "llminferenceservice-workload-leader", { "llm-d.ai/role": "decode" }),
      labels: labels("qwen", "llminferenceservice-workload-worker"),
    }),
    workload("qwen-kserve-prefill", {
      labels: labels("qwen", "llminferenceservice-workload-prefill", { "llm-d.ai/role": "prefill" }),
    }),
    workload("qwen-tokenizer", { labels: labels("qwen", "tokenizer") }),
  ];
  assert.deepEqual(pathsOf(things).slice(1), [
    "  tokenizer Deployment/qwen-tokenizer x1; none",
    "  engine(decode) LeaderWorkerSet/qwen-kserve-mn x1 groups of 2; LLMInferenceService/qwen spec.replicas",
    "  engine(prefill) Deployment/qwen-kserve-prefill x1; LLMInferenceService/qwen spec.prefill.replicas",
  ]);
});
