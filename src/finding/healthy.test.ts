import assert from "node:assert/strict";
import { test } from "node:test";
import { foundIn, nodeOf, type PartSpec, running, twoOf } from "../../test/support/findings.ts";
import {
  gateway,
  object,
  pod,
  pool,
  route,
  service,
  servingCluster,
  type Thing,
  toPool,
} from "../../test/support/serving.ts";
import { endpointsOf } from "../route/build.ts";

/**
 * A cluster set up well in each of the ways people serve: two of each part on two nodes, spread, under budgets. Whoever runs
 * it is told nothing above a note.
 */
const systemNodes = ["s1", "s2"];
const gpuNodes = ["g1", "g2"];

const nodes: readonly Thing[] = [
  nodeOf({ name: "s1", pool: "system", zone: "a", gpus: 0, cpu: "8" }),
  nodeOf({ name: "s2", pool: "system", zone: "b", gpus: 0, cpu: "8" }),
  nodeOf({ name: "g1", pool: "gpu", zone: "a", gpus: 8, cpu: "64" }),
  nodeOf({ name: "g2", pool: "gpu", zone: "b", gpus: 8, cpu: "64" }),
];

function part(name: string, labels: Record<string, string>, owner?: Thing): readonly Thing[] {
  return running(name, labelled(twoOf(name, "ns", systemNodes), labels), owner);
}

function engine(name: string, labels: Record<string, string>, owner?: Thing): readonly Thing[] {
  const spec = labelled(twoOf(name, "ns", gpuNodes), labels);
  spec.requests["nvidia.com/gpu"] = "1";
  spec.spec["tolerations"] = [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }];
  return running(name, spec, owner);
}

function labelled(spec: PartSpec, labels: Record<string, string>): PartSpec {
  Object.assign(spec.labels, labels);
  return spec;
}

const dns = [
  ...running("coredns", labelled(twoOf("coredns", "kube-system", systemNodes), { "k8s-app": "kube-dns" })),
  service("kube-dns", { "k8s-app": "kube-dns" }, { namespace: "kube-system" }),
];
const front = [gateway("g", "istio"), ...part("g-istio", { "gateway.networking.k8s.io/gateway-name": "g" })];
const envoyLabels = {
  "app.kubernetes.io/managed-by": "envoy-gateway",
  "gateway.envoyproxy.io/owning-gateway-name": "g",
  "gateway.envoyproxy.io/owning-gateway-namespace": "ns",
};
const picker = (labels: Record<string, string>, owner?: Thing): readonly Thing[] => [
  ...part("epp", labels, owner),
  service("epp", { app: "epp" }),
];
const owner = (apiVersion: string, kind: string, name: string): Thing => ({ apiVersion, kind, name });
const llm = owner("serving.kserve.io/v1alpha2", "LLMInferenceService", "m");
const llmLabels = (component: string): Record<string, string> => ({
  "app.kubernetes.io/part-of": "llminferenceservice",
  "app.kubernetes.io/name": "m",
  "app.kubernetes.io/component": component,
});
const graphLabels = (type: string): Record<string, string> => ({
  "nvidia.com/dynamo-graph-deployment-name": "m",
  "nvidia.com/dynamo-component-type": type,
});
const serving = { "llm-d.ai/inference-serving": "true" };
const rayLabels = { "ray.io/cluster": "m-1", "ray.io/serve": "true" };
const rayCluster = owner("ray.io/v1", "RayCluster", "m-1");
const rayPod = (name: string, node: string, labels: Record<string, string>): Thing =>
  pod(name, { labels: { ...rayLabels, ...labels }, owner: rayCluster, spec: { nodeName: node } });

const healthy: { readonly [system: string]: readonly Thing[] } = {
  modelplane: [
    gateway("g", "envoy"),
    ...part("envoy", envoyLabels),
    ...picker({}),
    ...engine("m-main", { "modelplane.ai/serving": "m", "modelplane.ai/workload": "m-main" }),
    pool("m-pool", { "modelplane.ai/serving": "m" }, "epp", "FailClose"),
    route("m", "g", toPool("m-pool")),
  ],
  kserve: [
    object("serving.kserve.io/v1beta1", "InferenceService", "m", { predictor: { minReplicas: 2, maxReplicas: 2 } }),
    ...engine(
      "m-predictor",
      { "serving.kserve.io/inferenceservice": "m", component: "predictor" },
      owner("serving.kserve.io/v1beta1", "InferenceService", "m"),
    ),
    ...front,
    route("m", "g", { name: "m-predictor" }),
  ],
  "kserve-llm": [
    object("serving.kserve.io/v1alpha2", "LLMInferenceService", "m", { model: { name: "m" }, replicas: 2 }),
    ...engine("m-kserve", llmLabels("llminferenceservice-workload"), llm),
    ...picker(llmLabels("llminferenceservice-router-scheduler"), llm),
    pool("m-inference-pool", { "app.kubernetes.io/component": "llminferenceservice-workload" }, "epp"),
    ...front,
    route("m", "g", toPool("m-inference-pool")),
  ],
  dynamo: [
    object("nvidia.com/v1beta1", "DynamoGraphDeployment", "m", {}),
    ...part("m-frontend", graphLabels("frontend")),
    ...engine("m-decode", graphLabels("decode")),
    ...engine("m-prefill", graphLabels("prefill")),
    service("m-frontend", { app: "m-frontend" }),
  ],
  aibrix: [
    ...engine("m", { "model.aibrix.ai/name": "m" }),
    service("m", { app: "m" }),
    ...part("plugins", { "app.kubernetes.io/component": "aibrix-gateway-plugin" }),
    gateway("g", "aibrix-eg"),
    ...part("envoy", envoyLabels),
    route("m", "g", { name: "m" }),
  ],
  "production-stack": [
    ...part("r-deployment-router", { environment: "router", release: "router" }),
    service("router", { app: "r-deployment-router" }),
    ...engine("r-m-deployment-vllm", { "helm-release-name": "r", model: "m" }),
  ],
  ray: [
    object("ray.io/v1", "RayService", "m", {
      excludeHeadPodFromServeSvc: true,
      rayClusterConfig: { gcsFaultToleranceOptions: {}, workerGroupSpecs: [{ groupName: "gpu", replicas: 2 }] },
    }),
    object("ray.io/v1", "RayCluster", "m-1", {}, { labels: { "ray.io/originated-from-cr-name": "m" } }),
    rayPod("m-head", "s1", { "ray.io/node-type": "head" }),
    rayPod("m-w1", "g1", { "ray.io/node-type": "worker", "ray.io/group": "gpu" }),
    rayPod("m-w2", "g2", { "ray.io/node-type": "worker", "ray.io/group": "gpu" }),
    object("policy/v1", "PodDisruptionBudget", "m", {
      minAvailable: 1,
      selector: { matchLabels: { "ray.io/cluster": "m-1", "ray.io/node-type": "worker" } },
    }),
  ],
  "llm-d": [
    ...engine("m-decode", { ...serving, "llm-d.ai/role": "decode" }),
    ...engine("m-prefill", { ...serving, "llm-d.ai/role": "prefill" }),
    ...picker({ "llm-d.ai/igw-mode": "llm-d-router-gateway", "llm-d-router-gateway": "m-epp" }),
    pool("m", serving, "epp"),
    ...front,
    route("m", "g", toPool("m")),
  ],
  "gateway-api-inference": [
    ...engine("vllm", {}),
    ...picker({}),
    pool("m", { app: "vllm" }, "epp"),
    ...front,
    route("m", "g", toPool("m")),
  ],
  service: [...engine("vllm", {}), service("m", { app: "vllm" })],
};

for (const [system, things] of Object.entries(healthy)) {
  test(`${system}, set up well`, () => {
    const { endpoints } = endpointsOf(servingCluster([...nodes, ...dns, ...things]));
    assert.deepEqual(
      endpoints.map((endpoint) => endpoint.system),
      [system],
    );
    const lines = foundIn([...nodes, ...dns, ...things]);
    assert.deepEqual(
      lines.filter((line) => !line.includes(" note ")),
      [],
    );
    // One line broken is told, so the silence above is no deafness.
    const bare = things.filter(({ kind }) => kind !== "PodDisruptionBudget");
    const told = foundIn([...nodes, ...dns, ...bare], { engine: "broke" });
    assert.ok(
      told.some((line) => line.startsWith("no-budget/unguarded error")),
      told.join("; "),
    );
  });
}
