import { at, container, type Fields, httpProbe, type Item, type PodPlace, suffix, World } from "./world.ts";

export interface ModelplaneOptions {
  readonly pickers: readonly PodPlace[];
  readonly pickerArgs: readonly string[];
  readonly pickerStrategy?: Fields;
  readonly proxies: readonly PodPlace[];
  readonly dns: readonly PodPlace[];
  /** Spread of pickers, proxies and DNS that a rollout and a drain can satisfy. */
  readonly spread: boolean;
  readonly pathBudgets: boolean;
  readonly nebius: boolean;
  /** Names of system and GPU nodes. */
  readonly nodes: { readonly system: readonly [string, string]; readonly gpu: readonly [string, string] };
}

const workloads = "mp-ml-team-5f2a9c";
const created = "2026-11-02T08:12:31Z";

/** One Modelplane workload cluster: two system nodes, two GPU nodes, one model replica. */
export function modelplane(options: ModelplaneOptions): World {
  const world = new World(created, "v1.36.3");
  const [systemOne, systemTwo] = options.nodes.system;
  nodes(world, options);
  for (const name of [
    "cert-manager",
    "envoy-ai-gateway-system",
    "envoy-gateway-system",
    "kube-system",
    "lws-system",
    "modelplane-system",
    workloads,
  ])
    world.namespace(name);
  network(world, options);
  gateway(world, options);
  model(world, options);
  dns(world, options);
  controllers(world, systemOne, systemTwo);
  return world;
}

function nodes(world: World, options: ModelplaneOptions): void {
  const reserved = { pods: "110", "ephemeral-storage": "100Gi" };
  options.nodes.system.forEach((name, index) => {
    world.node({
      name,
      created: at(created, 30 + index),
      labels: {
        "modelplane.ai/pool": "system",
        "node.kubernetes.io/instance-type": "cpu-d3",
        "topology.kubernetes.io/region": "eu-north1",
        "topology.kubernetes.io/zone": "eu-north1-a",
      },
      capacity: { cpu: "4", memory: "16Gi", ...reserved },
      allocatable: { cpu: "3920m", memory: "14988Mi", ...reserved },
      conditions: options.nebius ? [scheduled(name)] : [],
      providerID: options.nebius ? `nebius://${name}` : `kvm://${name}`,
      osImage: "Ubuntu 24.04.3 LTS",
    });
  });
  options.nodes.gpu.forEach((name, index) => {
    world.node({
      name,
      created: at(created, 300 + index),
      labels: {
        "modelplane.ai/gpu": "nvidia-h200",
        "modelplane.ai/pool": "gpu-h200",
        "node.kubernetes.io/instance-type": "gpu-h200-sxm",
        "topology.kubernetes.io/region": "eu-north1",
        "topology.kubernetes.io/zone": "eu-north1-a",
      },
      taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }],
      capacity: { cpu: "128", memory: "1600Gi", "nvidia.com/gpu": "8", ...reserved },
      allocatable: { cpu: "127610m", memory: "1585Gi", "nvidia.com/gpu": "8", ...reserved },
      providerID: options.nebius ? `nebius://${name}` : `kvm://${name}`,
      osImage: "Ubuntu 24.04.3 LTS",
    });
  });
}

function scheduled(node: string): Fields {
  return {
    type: "NebiusMaintenanceScheduled",
    status: "True",
    reason: "MaintenanceScheduled",
    message: "Node scheduled for maintenance, SLA deadline is 2026-11-19T09:00:00Z",
    lastHeartbeatTime: "2026-11-14T09:00:00Z",
    lastTransitionTime: node.endsWith("1") ? "2026-11-14T09:00:02Z" : "2026-11-14T09:00:03Z",
  };
}

function network(world: World, options: ModelplaneOptions): void {
  world.daemonSet({
    namespace: "kube-system",
    name: "cilium",
    labels: { "app.kubernetes.io/name": "cilium-agent", "app.kubernetes.io/part-of": "cilium", "k8s-app": "cilium" },
    selector: { "k8s-app": "cilium" },
    podLabels: { "app.kubernetes.io/name": "cilium-agent", "app.kubernetes.io/part-of": "cilium" },
    startSeconds: 14,
    nodes: [...options.nodes.system, ...options.nodes.gpu],
    spec: {
      hostNetwork: true,
      priorityClassName: "system-node-critical",
      tolerations: [{ operator: "Exists" }],
      containers: [
        container(
          "cilium-agent",
          "quay.io/cilium/cilium:v1.18.2",
          { cpu: "100m", memory: "256Mi" },
          {},
          httpProbe("/healthz", 9879, 30),
        ),
      ],
    },
  });
}

function proxyLabels(): Fields {
  return {
    "app.kubernetes.io/component": "proxy",
    "app.kubernetes.io/managed-by": "envoy-gateway",
    "app.kubernetes.io/name": "envoy",
    "gateway.envoyproxy.io/owning-gateway-name": "cluster-gateway",
    "gateway.envoyproxy.io/owning-gateway-namespace": "modelplane-system",
  };
}

/** Replicas apart, in a form whose own rollout and whose replacements after a drain still find a node. */
function spreadOver(labels: Fields): Fields[] {
  return [
    {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "DoNotSchedule",
      nodeTaintsPolicy: "Honor",
      matchLabelKeys: ["pod-template-hash"],
      labelSelector: { matchLabels: labels },
    },
  ];
}

function gateway(world: World, options: ModelplaneOptions): void {
  const labels = proxyLabels();
  const count = options.proxies.length;
  const pod = options.spread ? { pod: { topologySpreadConstraints: spreadOver(labels) } } : {};
  world.add({
    apiVersion: "gateway.envoyproxy.io/v1alpha1",
    kind: "EnvoyProxy",
    metadata: { name: "cluster-gateway", namespace: "modelplane-system", generation: 1 },
    spec: {
      provider: {
        type: "Kubernetes",
        kubernetes: {
          envoyService: { externalTrafficPolicy: "Cluster", type: "LoadBalancer" },
          ...(count > 1 ? { envoyDeployment: { replicas: count, ...pod } } : {}),
          ...(options.pathBudgets ? { envoyPDB: { maxUnavailable: 1 } } : {}),
        },
      },
    },
  });
  const gatewayClass = world.add({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GatewayClass",
    metadata: { name: "envoy", generation: 1 },
    spec: {
      controllerName: "gateway.envoyproxy.io/gatewayclass-controller",
      parametersRef: {
        group: "gateway.envoyproxy.io",
        kind: "EnvoyProxy",
        name: "cluster-gateway",
        namespace: "modelplane-system",
      },
    },
    status: { conditions: [accepted("Valid GatewayClass")] },
  });
  world.add({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { name: "cluster-gateway", namespace: "modelplane-system", generation: 1 },
    spec: {
      gatewayClassName: "envoy",
      listeners: [{ name: "http", port: 80, protocol: "HTTP", allowedRoutes: { namespaces: { from: "All" } } }],
    },
    status: {
      addresses: [{ type: "IPAddress", value: "203.0.113.20" }],
      conditions: [accepted("The Gateway has been scheduled by Envoy Gateway")],
    },
  });
  const name = `envoy-modelplane-system-cluster-gateway-${suffix("cluster-gateway", 8)}`;
  world.deployment({
    namespace: "envoy-gateway-system",
    name,
    labels,
    selector: labels,
    owner: gatewayClass,
    places: options.proxies,
    startSeconds: 9,
    spec: {
      serviceAccountName: name,
      terminationGracePeriodSeconds: 360,
      ...(options.spread ? { topologySpreadConstraints: spreadOver(labels) } : {}),
      containers: [
        container(
          "envoy",
          "docker.io/envoyproxy/envoy:distroless-v1.38.4",
          { cpu: "100m", memory: "512Mi" },
          {},
          {
            ports: [
              { name: "http-80", containerPort: 10080, protocol: "TCP" },
              { name: "metrics", containerPort: 19001, protocol: "TCP" },
              { name: "readiness", containerPort: 19003, protocol: "TCP" },
            ],
            ...httpProbe("/ready", 19003, 5),
          },
        ),
        container(
          "shutdown-manager",
          "docker.io/envoyproxy/gateway:v1.8.4",
          { cpu: "10m", memory: "32Mi" },
          {},
          httpProbe("/healthz", 19002, 10),
        ),
      ],
    },
  });
  world.service({
    namespace: "envoy-gateway-system",
    name,
    labels,
    owner: gatewayClass,
    selector: labels,
    type: "LoadBalancer",
    externalTrafficPolicy: "Cluster",
    ports: [{ name: "http-80", port: 80, targetPort: 10080, nodePort: 32266, protocol: "TCP" }],
  });
  if (options.pathBudgets)
    world.budget({
      namespace: "envoy-gateway-system",
      name,
      labels,
      owner: gatewayClass,
      selector: labels,
      maxUnavailable: 1,
      expected: count,
      healthy: ready(options.proxies),
    });
}

function accepted(message: string): Fields {
  return {
    type: "Accepted",
    status: "True",
    reason: "Accepted",
    message,
    observedGeneration: 1,
    lastTransitionTime: at(created, 1800),
  };
}

function ready(places: readonly PodPlace[]): number {
  return places.filter((place) => place.node !== null && place.ready !== false).length;
}

function model(world: World, options: ModelplaneOptions): void {
  const engine = "chat-0-main-7c5d9f";
  const serving = { "modelplane.ai/serving": "chat-0", "modelplane.ai/workload": engine };
  world.deployment({
    namespace: workloads,
    name: engine,
    labels: { "modelplane.ai/workload": engine },
    selector: { "modelplane.ai/workload": engine },
    podLabels: serving,
    places: options.nodes.gpu.map((node) => ({ node })),
    startSeconds: 212,
    spec: {
      nodeSelector: { "modelplane.ai/pool": "gpu-h200" },
      ...(options.spread ? { topologySpreadConstraints: spreadOver({ "modelplane.ai/workload": engine }) } : {}),
      tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
      containers: [
        container(
          "engine",
          "docker.io/vllm/vllm-openai:v0.14.1",
          { cpu: "32", memory: "256Gi", "nvidia.com/gpu": "4" },
          { "nvidia.com/gpu": "4" },
          {
            args: ["--model=/models/chat", "--served-model-name=chat", "--tensor-parallel-size=4", "--port=8000"],
            ports: [{ name: "http", containerPort: 8000, protocol: "TCP" }],
            ...httpProbe("/health", 8000, 10),
          },
        ),
      ],
    },
  });
  world.budget({
    namespace: workloads,
    name: "chat-engines",
    selector: { "modelplane.ai/serving": "chat-0" },
    maxUnavailable: 1,
    expected: 2,
    healthy: 2,
  });
  picker(world, options);
  world.add({
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: { name: "chat-0-pool", namespace: workloads, generation: 1 },
    spec: {
      selector: { matchLabels: { "modelplane.ai/serving": "chat-0" } },
      targetPorts: [{ number: 8000 }],
      endpointPickerRef: {
        group: "",
        kind: "Service",
        name: "chat-0-epp",
        port: { number: 9002 },
        failureMode: "FailOpen",
      },
    },
  });
  world.add({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "chat-0", namespace: workloads, generation: 1 },
    spec: {
      parentRefs: [
        {
          group: "gateway.networking.k8s.io",
          kind: "Gateway",
          name: "cluster-gateway",
          namespace: "modelplane-system",
        },
      ],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: `/${workloads}/chat-0` } }],
          backendRefs: [
            { group: "inference.networking.k8s.io", kind: "InferencePool", name: "chat-0-pool", weight: 1 },
          ],
          timeouts: { request: "0s" },
        },
      ],
    },
  });
}

function picker(world: World, options: ModelplaneOptions): void {
  const labels = { app: "chat-0-epp" };
  const count = options.pickers.length;
  world.deployment({
    namespace: workloads,
    name: "chat-0-epp",
    labels,
    selector: labels,
    podAnnotations: { "modelplane.ai/epp-config-checksum": suffix("epp-config", 16) },
    ...(options.pickerStrategy ? { strategy: options.pickerStrategy } : {}),
    places: options.pickers,
    startSeconds: 18,
    spec: {
      serviceAccountName: "chat-0-epp",
      ...(options.spread ? { topologySpreadConstraints: spreadOver(labels) } : {}),
      containers: [
        container(
          "epp",
          "ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.9.0",
          { cpu: "500m", memory: "1Gi" },
          { memory: "2Gi" },
          {
            args: [
              "--pool-name=chat-0-pool",
              `--pool-namespace=${workloads}`,
              "--grpc-port=9002",
              "--grpc-health-port=9003",
              ...options.pickerArgs,
            ],
            ports: [
              { name: "grpc", containerPort: 9002, protocol: "TCP" },
              { name: "grpc-health", containerPort: 9003, protocol: "TCP" },
            ],
            readinessProbe: {
              grpc: { port: 9003, service: "readiness" },
              periodSeconds: 5,
              timeoutSeconds: 1,
              successThreshold: 1,
              failureThreshold: 3,
            },
          },
        ),
      ],
    },
  });
  world.service({
    namespace: workloads,
    name: "chat-0-epp",
    labels,
    selector: labels,
    ports: [{ name: "grpc", port: 9002, targetPort: 9002, protocol: "TCP", appProtocol: "http2" }],
  });
  if (options.pathBudgets)
    world.budget({
      namespace: workloads,
      name: "chat-picker",
      selector: labels,
      maxUnavailable: 1,
      expected: count,
      healthy: ready(options.pickers),
    });
}

function dns(world: World, options: ModelplaneOptions): void {
  const labels = { "k8s-app": "kube-dns" };
  world.deployment({
    namespace: "kube-system",
    name: "coredns",
    labels: { ...labels, "kubernetes.io/name": "CoreDNS" },
    selector: labels,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } },
    places: options.dns,
    created: at(created, 420),
    startSeconds: 11,
    spec: {
      dnsPolicy: "Default",
      priorityClassName: "system-cluster-critical",
      serviceAccountName: "coredns",
      ...(options.spread ? { topologySpreadConstraints: spreadOver(labels) } : {}),
      containers: [
        container(
          "coredns",
          "registry.k8s.io/coredns/coredns:v1.12.1",
          { cpu: "100m", memory: "70Mi" },
          { memory: "170Mi" },
          {
            args: ["-conf", "/etc/coredns/Corefile"],
            ...httpProbe("/ready", 8181, 10),
          },
        ),
      ],
    },
  });
  world.service({
    namespace: "kube-system",
    name: "kube-dns",
    labels: { ...labels, "kubernetes.io/cluster-service": "true", "kubernetes.io/name": "CoreDNS" },
    selector: labels,
    ports: [
      { name: "dns", port: 53, targetPort: 53, protocol: "UDP" },
      { name: "dns-tcp", port: 53, targetPort: 53, protocol: "TCP" },
    ],
  });
  world.budget({
    namespace: "kube-system",
    name: "coredns",
    selector: labels,
    minAvailable: 1,
    expected: 2,
    healthy: 2,
  });
}

interface Controller {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Fields;
  readonly release: string;
  readonly image: string;
  readonly node: string;
  readonly webhookPort?: number;
  readonly service?: string;
}

function controllers(world: World, one: string, two: string): void {
  const chart = (name: string, component: string, instance: string): Fields => ({
    "app.kubernetes.io/component": component,
    "app.kubernetes.io/instance": instance,
    "app.kubernetes.io/name": name,
  });
  const list: Controller[] = [
    {
      namespace: "cert-manager",
      name: "cert-manager",
      labels: { app: "cert-manager", ...chart("cert-manager", "controller", "cert-manager") },
      release: "cert-manager",
      image: "quay.io/jetstack/cert-manager-controller:v1.20.2",
      node: one,
    },
    {
      namespace: "cert-manager",
      name: "cert-manager-cainjector",
      labels: { app: "cainjector", ...chart("cainjector", "cainjector", "cert-manager") },
      release: "cert-manager",
      image: "quay.io/jetstack/cert-manager-cainjector:v1.20.2",
      node: two,
    },
    {
      namespace: "cert-manager",
      name: "cert-manager-webhook",
      labels: { app: "webhook", ...chart("webhook", "webhook", "cert-manager") },
      release: "cert-manager",
      image: "quay.io/jetstack/cert-manager-webhook:v1.20.2",
      node: one,
      webhookPort: 10250,
    },
    {
      namespace: "modelplane-system",
      name: "trust-manager",
      labels: { app: "trust-manager", ...chart("trust-manager", "controller", "trust-manager") },
      release: "trust-manager",
      image: "quay.io/jetstack/trust-manager:v0.25.0",
      node: two,
      webhookPort: 6443,
    },
    {
      namespace: "envoy-gateway-system",
      name: "envoy-gateway",
      labels: {
        "control-plane": "envoy-gateway",
        "app.kubernetes.io/instance": "envoy-gateway",
        "app.kubernetes.io/name": "gateway-helm",
      },
      release: "envoy-gateway",
      image: "docker.io/envoyproxy/gateway:v1.8.4",
      node: two,
      webhookPort: 18000,
    },
    {
      namespace: "envoy-ai-gateway-system",
      name: "ai-gateway-controller",
      labels: { "app.kubernetes.io/instance": "ai-gateway", "app.kubernetes.io/name": "ai-gateway-helm" },
      release: "ai-gateway",
      image: "docker.io/envoyproxy/ai-gateway-controller:v1.1.0",
      node: two,
      webhookPort: 9443,
    },
    {
      namespace: "lws-system",
      name: "lws-controller-manager",
      labels: {
        "control-plane": "controller-manager",
        "app.kubernetes.io/instance": "lws",
        "app.kubernetes.io/name": "lws",
      },
      release: "lws",
      image: "registry.k8s.io/lws/lws:v0.8.0",
      node: two,
      webhookPort: 9443,
      service: "lws-webhook-service",
    },
    {
      namespace: "modelplane-system",
      name: "modelplane-collector",
      labels: { "app.kubernetes.io/component": "collector", "app.kubernetes.io/name": "modelplane-collector" },
      release: "modelplane-collector",
      image: "docker.io/otel/opentelemetry-collector-contrib:0.139.0",
      node: one,
    },
  ];
  for (const item of list) controller(world, item);
  webhooks(world);
}

function controller(world: World, item: Controller): void {
  world.deployment({
    namespace: item.namespace,
    name: item.name,
    labels: { ...item.labels, "app.kubernetes.io/managed-by": "Helm" },
    annotations: { "meta.helm.sh/release-name": item.release, "meta.helm.sh/release-namespace": item.namespace },
    selector: item.labels,
    places: [{ node: item.node }],
    startSeconds: 12,
    spec: {
      serviceAccountName: item.name,
      containers: [
        container(
          item.name,
          item.image,
          { cpu: "50m", memory: "64Mi" },
          { memory: "256Mi" },
          {
            ...(item.webhookPort
              ? { ports: [{ name: "webhook", containerPort: item.webhookPort, protocol: "TCP" }] }
              : {}),
            ...httpProbe("/readyz", 8081, 10),
          },
        ),
      ],
    },
  });
  if (item.webhookPort)
    world.service({
      namespace: item.namespace,
      name: item.service ?? item.name,
      labels: item.labels,
      selector: item.labels,
      ports: [{ name: "webhook", port: 443, targetPort: item.webhookPort, protocol: "TCP" }],
    });
}

function webhooks(world: World): void {
  const hook = (name: string, service: Fields, objectSelector: Fields): Fields => ({
    name,
    admissionReviewVersions: ["v1"],
    clientConfig: { service: { port: 443, ...service } },
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector,
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"], scope: "*" }],
    sideEffects: "None",
    timeoutSeconds: 10,
  });
  world.add({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "envoy-ai-gateway-gateway-pod-mutator.envoy-ai-gateway-system" },
    webhooks: [
      hook(
        "gateway-pod-mutator.aigateway.envoyproxy.io",
        { name: "ai-gateway-controller", namespace: "envoy-ai-gateway-system", path: "/mutate" },
        { matchLabels: { "app.kubernetes.io/managed-by": "envoy-gateway" } },
      ),
    ],
  });
  const groups = { matchExpressions: [{ key: "leaderworkerset.sigs.k8s.io/name", operator: "Exists" }] };
  for (const [kind, prefix] of [
    ["MutatingWebhookConfiguration", "mutate"],
    ["ValidatingWebhookConfiguration", "validate"],
  ] as const)
    world.add({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind,
      metadata: {
        name: `lws-${kind === "MutatingWebhookConfiguration" ? "mutating" : "validating"}-webhook-configuration`,
      },
      webhooks: [
        hook(
          `${prefix === "mutate" ? "m" : "v"}pod.kb.io`,
          { name: "lws-webhook-service", namespace: "lws-system", path: `/${prefix}--v1-pod` },
          groups,
        ),
      ],
    });
}

export type { Item };
