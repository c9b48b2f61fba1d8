import { nodeOf, type PartSpec, running, twoOf } from "./findings.ts";
import { gateway, object, pod, pool, route, service, type Thing, toPool } from "./serving.ts";

/**
 * A cluster set up well in each of the ways people serve and behind each kind of gateway: two of each part on two nodes,
 * spread, under budgets. Whoever runs it is told nothing above a note.
 */
const systemNodes = ["s1", "s2"];
const gpuNodes = ["g1", "g2"];

const nodes: readonly Thing[] = [
  nodeOf({ name: "s1", pool: "system", zone: "a", gpus: 0, cpu: "8" }),
  nodeOf({ name: "s2", pool: "system", zone: "b", gpus: 0, cpu: "8" }),
  nodeOf({ name: "g1", pool: "gpu", zone: "a", gpus: 8, cpu: "64" }),
  nodeOf({ name: "g2", pool: "gpu", zone: "b", gpus: 8, cpu: "64" }),
];

function part(
  name: string,
  labels: Record<string, string>,
  owner?: Thing,
  args: readonly string[] = [],
): readonly Thing[] {
  const spec = labelled(twoOf(name, "ns", systemNodes), labels);
  spec.args.push(...args);
  return running(name, spec, owner);
}

function engine(
  name: string,
  labels: Record<string, string>,
  owner?: Thing,
  podAnnotations: Record<string, string> = {},
): readonly Thing[] {
  const spec = labelled(twoOf(name, "ns", gpuNodes), labels);
  spec.podAnnotations = podAnnotations;
  spec.requests["nvidia.com/gpu"] = "1";
  spec.spec["nodeSelector"] = { "node-pool": "gpu" };
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

const behindSystems: { readonly [system: string]: readonly Thing[] } = {
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
  "engine-router": [
    ...part("sgl-router", { role: "router" }, undefined, [
      "sglang_router.launch_router",
      ...["--service-discovery", "--prefill-selector", "role=prefill", "--decode-selector", "role=decode"],
    ]),
    service("sgl-router", { app: "sgl-router" }),
    ...engine("m-decode", { role: "decode" }),
    ...engine("m-prefill", { role: "prefill" }),
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
  knative: [
    object("serving.knative.dev/v1", "Service", "m", {}),
    object("serving.knative.dev/v1", "Revision", "m-00001", {}),
    ...engine(
      "m-00001-deployment",
      {
        "serving.knative.dev/service": "m",
        "serving.knative.dev/revision": "m-00001",
      },
      owner("serving.knative.dev/v1", "Revision", "m-00001"),
      { "autoscaling.knative.dev/min-scale": "2" },
    ),
    ...running("activator", labelled(twoOf("activator", "knative-serving", systemNodes), { app: "activator" })),
    ...part("kourier", { app: "3scale-kourier-gateway" }),
    object(
      "networking.internal.knative.dev/v1alpha1",
      "Ingress",
      "m",
      { rules: [{ http: { paths: [{ splits: [{ serviceName: "m-00001", serviceNamespace: "ns" }] }] } }] },
      { annotations: { "networking.knative.dev/ingress.class": "kourier.ingress.networking.knative.dev" } },
    ),
  ],
  service: [...engine("vllm", {}), service("m", { app: "vllm" })],
};

/** A Service's model behind each kind of gateway and ingress. */
const toModel: readonly Thing[] = [...engine("vllm", {}), service("m", { app: "vllm" })];
const gatewayClass = (name: string, controllerName: string): Thing => ({
  ...object("gateway.networking.k8s.io/v1", "GatewayClass", name, { controllerName }),
  metadata: { name },
});
const gatewayLabels = (labels: Record<string, string>): Record<string, string> => ({
  "gateway.networking.k8s.io/gateway-name": "g",
  ...labels,
});
const ingress = (ingressClassName: string): Thing =>
  object("networking.k8s.io/v1", "Ingress", "i", {
    ingressClassName,
    rules: [{ http: { paths: [{ backend: { service: { name: "m" } } }] } }],
  });
const toService = route("m", "g", { name: "m" });

const behindGateways: { readonly [gateway: string]: readonly Thing[] } = {
  "envoy-gateway": [gateway("g", "eg"), ...part("envoy", envoyLabels), toService],
  "envoy-ai-gateway": [
    gateway("g", "eg"),
    ...part("envoy", envoyLabels),
    ...part("ai-gateway-controller", {}),
    toService,
  ],
  istio: [
    gateway("g", "istio"),
    ...part("g-istio", gatewayLabels({ "gateway.istio.io/managed": "istio.io-gateway-controller" })),
    ...part("istiod", {}),
    toService,
  ],
  kgateway: [gateway("g", "kgateway"), ...part("g", gatewayLabels({ kgateway: "kube-gateway" })), toService],
  agentgateway: [
    gateway("g", "agentgateway"),
    ...part("g", gatewayLabels({ "app.kubernetes.io/managed-by": "agentgateway" })),
    toService,
  ],
  "managed-gateways": [
    gatewayClass("gke-l7-rilb", "networking.gke.io/gateway"),
    gateway("g", "gke-l7-rilb"),
    toService,
  ],
  traefik: [ingress("traefik"), ...part("traefik", { "app.kubernetes.io/name": "traefik" })],
  "ingress-nginx": [
    ingress("nginx"),
    ...part("nginx", { "app.kubernetes.io/name": "ingress-nginx", "app.kubernetes.io/component": "controller" }),
  ],
  contour: [
    object("projectcontour.io/v1", "HTTPProxy", "p", { routes: [{ services: [{ name: "m" }] }] }),
    ...part("envoy", { "app.kubernetes.io/name": "contour", "app.kubernetes.io/component": "envoy" }),
  ],
  apisix: [
    object("apisix.apache.org/v2", "ApisixRoute", "a", { http: [{ backends: [{ serviceName: "m" }] }] }),
    ...part("apisix", { "app.kubernetes.io/name": "apisix" }),
  ],
  kong: [ingress("kong"), ...part("kong", { "app.kubernetes.io/name": "kong" })],
  haproxy: [ingress("haproxy"), ...part("haproxy", { "app.kubernetes.io/name": "haproxy-ingress" })],
  "nginx-gateway": [gateway("g", "nginx"), ...part("g-nginx", gatewayLabels({})), toService],
  "keda-http": [
    object("http.keda.sh/v1alpha1", "HTTPScaledObject", "m", { scaleTargetRef: { service: "m" } }),
    ...part("interceptor", {
      "app.kubernetes.io/name": "http-add-on",
      "app.kubernetes.io/component": "interceptor",
    }),
  ],
  openshift: [
    object("route.openshift.io/v1", "Route", "m", { to: { kind: "Service", name: "m" } }),
    ...part("router", { "ingresscontroller.operator.openshift.io/deployment-ingresscontroller": "default" }),
  ],
  autoscaling: [
    object("keda.sh/v1alpha1", "ScaledObject", "vllm", { scaleTargetRef: { name: "vllm" }, minReplicaCount: 2 }),
    object(
      "autoscaling/v2",
      "HorizontalPodAutoscaler",
      "keda-hpa-vllm",
      { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "vllm" }, minReplicas: 2, maxReplicas: 4 },
      { owner: owner("keda.sh/v1alpha1", "ScaledObject", "vllm") },
    ),
  ],
};

/** Two groups of two as the LeaderWorkerSet controller makes them, each on one node, under one budget over the set. */
function groupsOfTwo(name: string): readonly Thing[] {
  const prefix = "leaderworkerset.sigs.k8s.io";
  const byName = { [`${prefix}/name`]: name };
  const leader = { ...byName, [`${prefix}/worker-index`]: "0" };
  const ofGroup = (index: number): Thing => ({ ...byName, [`${prefix}/group-index`]: String(index) });
  const resources = { requests: { "nvidia.com/gpu": "4" }, limits: { "nvidia.com/gpu": "4" } };
  const spec = {
    containers: [{ name: "main", image: "app:1", resources }],
    tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
  };
  const template = (labels: Thing): Thing => ({ metadata: { labels }, spec });
  const set = (of: string, replicas: number, matchLabels: Thing, ordinals: Thing, above: Thing): Thing => {
    const more = { podManagementPolicy: "Parallel", serviceName: name, ordinals };
    const made = { replicas, selector: { matchLabels }, template: template(matchLabels), ...more };
    return object("apps/v1", "StatefulSet", of, made, { owner: above, labels: byName });
  };
  const member = (of: string, labels: Thing, nodeName: string, above: string): Thing =>
    pod(of, { labels, owner: owner("apps/v1", "StatefulSet", above), spec: { nodeName, ...spec } });
  return [
    object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", name, {
      replicas: 2,
      leaderWorkerTemplate: { size: 2, leaderTemplate: template({}), workerTemplate: template({}) },
    }),
    set(name, 2, leader, {}, owner("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", name)),
    ...gpuNodes.flatMap((node, index) => [
      member(`${name}-${index}`, { ...ofGroup(index), ...leader }, node, name),
      set(`${name}-${index}`, 1, ofGroup(index), { start: 1 }, owner("v1", "Pod", `${name}-${index}`)),
      member(`${name}-${index}-1`, { ...ofGroup(index), [`${prefix}/worker-index`]: "1" }, node, `${name}-${index}`),
    ]),
    service(name, leader),
    object("policy/v1", "PodDisruptionBudget", name, { maxUnavailable: 1, selector: { matchLabels: byName } }),
  ];
}

interface Healthy {
  /** What it shows to be set up well. */
  readonly name: string;
  /** The system its endpoint belongs to. */
  readonly system: string;
  readonly things: readonly Thing[];
}

export const healthyClusters: readonly Healthy[] = [
  ...Object.entries(behindSystems).map(([system, things]) => ({ name: system, system, things })),
  ...Object.entries(behindGateways).map(([name, things]) => ({
    name,
    system: "service",
    things: [...toModel, ...things],
  })),
  { name: "leader-worker-set", system: "service", things: groupsOfTwo("big") },
].map(({ name, system, things }) => ({ name, system, things: [...nodes, ...dns, ...things] }));
