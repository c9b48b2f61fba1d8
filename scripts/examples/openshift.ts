import { at, container, type Fields, httpProbe, type Item, type PodPlace, World } from "./world.ts";

export interface OpenShiftOptions {
  readonly engines: number;
  /** Where each service's pods are. */
  readonly chat: readonly PodPlace[];
  readonly rank: readonly PodPlace[];
  /** `right`: selects the service's own engines. `written`: as OpenShift AI's page has it. `none`: none at all. */
  readonly antiAffinity: "right" | "written" | "none";
  readonly budgets: "right" | "written";
}

const created = "2026-10-12T07:41:08Z";
const models = "demo-models";
const config = "rendered-worker-6f2c1e0b7a9d4853c6e1f0a2b8d7945e";

export const gpuNodes = [
  "ip-10-0-51-34.eu-west-1.compute.internal",
  "ip-10-0-75-166.eu-west-1.compute.internal",
] as const;
const workers = [
  "ip-10-0-12-203.eu-west-1.compute.internal",
  "ip-10-0-31-118.eu-west-1.compute.internal",
  "ip-10-0-66-9.eu-west-1.compute.internal",
] as const;

/** What the scheduler says of a replica more than there are GPU nodes. */
export const noRoom =
  "0/5 nodes are available: 2 node(s) didn't match pod anti-affinity rules, 3 Insufficient nvidia.com/gpu. " +
  "no new claims to deallocate, preemption: 0/5 nodes are available: 2 No preemption victims found for incoming pod, " +
  "3 Preemption is not helpful for scheduling.";

/** An OpenShift cluster with two models, one of each KServe kind; ingress and DNS doubled. */
export function openShift(options: OpenShiftOptions): World {
  const world = new World(created, "v1.36.3");
  for (const name of [models, "openshift-dns", "openshift-ingress", "redhat-ods-applications"]) world.namespace(name);
  nodes(world);
  machineConfig(world);
  dns(world);
  gateway(world);
  router(world);
  controllers(world);
  chat(world, options);
  rank(world, options);
  return world;
}

function nodes(world: World): void {
  const annotations = {
    "machineconfiguration.openshift.io/currentConfig": config,
    "machineconfiguration.openshift.io/desiredConfig": config,
    "machineconfiguration.openshift.io/desiredDrain": `uncordon-${config}`,
    "machineconfiguration.openshift.io/lastAppliedDrain": `uncordon-${config}`,
    "machineconfiguration.openshift.io/reason": "",
    "machineconfiguration.openshift.io/state": "Done",
  };
  const add = (name: string, index: number, gpu: boolean): void => {
    // GPU capacity of one kind often comes from one zone: the update takes both nodes one right after the other.
    const zone = `eu-west-1${gpu ? "a" : "abc"[index]}`;
    const rest = { "ephemeral-storage": "118Gi", pods: "250", ...(gpu ? { "nvidia.com/gpu": "8" } : {}) };
    world.node({
      name,
      created: at(created, (gpu ? 0 : 60) + index * 15),
      labels: {
        "node-role.kubernetes.io/worker": "",
        "node.kubernetes.io/instance-type": gpu ? "g5.48xlarge" : "m6i.2xlarge",
        "node.openshift.io/os_id": "rhel",
        "topology.kubernetes.io/region": "eu-west-1",
        "topology.kubernetes.io/zone": zone,
        ...(gpu ? { "nvidia.com/gpu.present": "true" } : {}),
      },
      annotations,
      ...(gpu ? { taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }] } : {}),
      capacity: { cpu: gpu ? "192" : "8", memory: gpu ? "768Gi" : "32Gi", ...rest },
      allocatable: { cpu: gpu ? "191500m" : "7500m", memory: gpu ? "760Gi" : "30Gi", ...rest },
      providerID: `aws:///${zone}/i-0${name.replaceAll(/\D/g, "").padEnd(16, "0").slice(0, 16)}`,
      osImage: "Red Hat Enterprise Linux CoreOS 9.8.20261005-0",
    });
  };
  for (const [index, name] of gpuNodes.entries()) add(name, index, true);
  for (const [index, name] of workers.entries()) add(name, index, false);
}

function machineConfig(world: World): void {
  world.add({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name: "worker", generation: 3, labels: { "machineconfiguration.openshift.io/mco-built-in": "" } },
    spec: {
      configuration: { name: config },
      machineConfigSelector: { matchLabels: { "machineconfiguration.openshift.io/role": "worker" } },
      maxUnavailable: 1,
      nodeSelector: { matchLabels: { "node-role.kubernetes.io/worker": "" } },
      paused: false,
    },
    status: {
      configuration: { name: config },
      machineCount: 5,
      readyMachineCount: 5,
      updatedMachineCount: 5,
      unavailableMachineCount: 0,
      degradedMachineCount: 0,
      observedGeneration: 3,
      conditions: [
        {
          type: "Updated",
          status: "True",
          reason: "",
          message: `All nodes are updated with MachineConfig ${config}`,
          lastTransitionTime: at(created, 4000),
        },
        { type: "Updating", status: "False", reason: "", message: "", lastTransitionTime: at(created, 4000) },
      ],
    },
  });
}

function dns(world: World): void {
  const labels = { "dns.operator.openshift.io/daemonset-dns": "default" };
  world.daemonSet({
    namespace: "openshift-dns",
    name: "dns-default",
    labels: { "dns.operator.openshift.io/owning-dns": "default" },
    selector: labels,
    nodes: [...gpuNodes, ...workers],
    startSeconds: 12,
    spec: {
      dnsPolicy: "Default",
      priorityClassName: "system-node-critical",
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [{ operator: "Exists" }],
      containers: [
        container(
          "dns",
          "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:6d1c",
          { cpu: "50m", memory: "70Mi" },
          {},
          httpProbe("/ready", 8181, 3),
        ),
        container(
          "kube-rbac-proxy",
          "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:e3a1",
          { cpu: "10m", memory: "40Mi" },
          {},
        ),
      ],
    },
  });
  world.service({
    namespace: "openshift-dns",
    name: "dns-default",
    labels: { "dns.operator.openshift.io/owning-dns": "default" },
    selector: labels,
    ports: [
      { name: "dns", port: 53, targetPort: "dns", protocol: "UDP" },
      { name: "dns-tcp", port: 53, targetPort: "dns-tcp", protocol: "TCP" },
    ],
  });
}

function gateway(world: World): void {
  const name = "openshift-ai-inference";
  world.add({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GatewayClass",
    metadata: { name: "openshift-default", generation: 1 },
    spec: { controllerName: "openshift.io/gateway-controller/v1" },
  });
  const gatewayObject = world.add({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { name, namespace: "openshift-ingress", generation: 1 },
    spec: {
      gatewayClassName: "openshift-default",
      infrastructure: { parametersRef: { group: "", kind: "ConfigMap", name: `${name}-options` } },
      listeners: [
        {
          name: "https",
          port: 443,
          protocol: "HTTPS",
          hostname: "inference.apps.example.com",
          allowedRoutes: { namespaces: { from: "All" } },
        },
      ],
    },
  });
  const labels = {
    "gateway.istio.io/managed": "openshift.io-gateway-controller-v1",
    "gateway.networking.k8s.io/gateway-class-name": "openshift-default",
    "gateway.networking.k8s.io/gateway-name": name,
  };
  const selector = { "gateway.networking.k8s.io/gateway-name": name };
  const spread = spreadOver(selector);
  world.add({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${name}-options`, namespace: "openshift-ingress" },
    data: {
      deployment:
        "spec:\n  replicas: 2\n  template:\n    spec:\n      topologySpreadConstraints:\n      - labelSelector:\n          matchLabels:\n            gateway.networking.k8s.io/gateway-name: openshift-ai-inference\n        matchLabelKeys:\n        - pod-template-hash\n        maxSkew: 1\n        nodeTaintsPolicy: Honor\n        topologyKey: kubernetes.io/hostname\n        whenUnsatisfiable: DoNotSchedule\n",
      podDisruptionBudget: "spec:\n  maxUnavailable: 1\n",
    },
  });
  const proxy = `${name}-openshift-default`;
  world.deployment({
    namespace: "openshift-ingress",
    name: proxy,
    labels,
    selector,
    podLabels: { ...labels, "service.istio.io/canonical-name": proxy },
    owner: gatewayObject,
    places: [{ node: workers[0] }, { node: workers[1] }],
    startSeconds: 8,
    spec: {
      serviceAccountName: proxy,
      topologySpreadConstraints: spread,
      containers: [
        container(
          "istio-proxy",
          "registry.redhat.io/openshift-service-mesh/istio-proxyv2-rhel9:3.2",
          { cpu: "100m", memory: "128Mi" },
          { cpu: "2", memory: "1Gi" },
          httpProbe("/healthz/ready", 15021, 15),
        ),
      ],
    },
  });
  world.service({
    namespace: "openshift-ingress",
    name: proxy,
    labels,
    selector,
    owner: gatewayObject,
    type: "LoadBalancer",
    ports: [{ name: "https", port: 443, targetPort: 443, protocol: "TCP" }],
  });
  world.budget({
    namespace: "openshift-ingress",
    name: proxy,
    labels,
    owner: gatewayObject,
    selector,
    maxUnavailable: 1,
    expected: 2,
    healthy: 2,
  });
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

function router(world: World): void {
  const selector = { "ingresscontroller.operator.openshift.io/deployment-ingresscontroller": "default" };
  const hash = { "ingresscontroller.operator.openshift.io/hash": "6c8f9d7b5" };
  world.deployment({
    namespace: "openshift-ingress",
    name: "router-default",
    labels: { "ingresscontroller.operator.openshift.io/owning-ingresscontroller": "default" },
    selector,
    podLabels: hash,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: "50%" } },
    places: [{ node: workers[1] }, { node: workers[2] }],
    startSeconds: 16,
    spec: {
      serviceAccountName: "router",
      priorityClassName: "system-cluster-critical",
      terminationGracePeriodSeconds: 3600,
      nodeSelector: { "kubernetes.io/os": "linux", "node-role.kubernetes.io/worker": "" },
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { ...selector, ...hash } }, topologyKey: "kubernetes.io/hostname" },
          ],
        },
      },
      containers: [
        container(
          "router",
          "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:a9b4",
          { cpu: "100m", memory: "256Mi" },
          {},
          httpProbe("/healthz/ready", 1936, 10),
        ),
      ],
    },
  });
  world.service({
    namespace: "openshift-ingress",
    name: "router-default",
    labels: { "ingresscontroller.operator.openshift.io/owning-ingresscontroller": "default" },
    selector,
    type: "LoadBalancer",
    ports: [{ name: "https", port: 443, targetPort: "https", protocol: "TCP" }],
  });
  world.budget({
    namespace: "openshift-ingress",
    name: "router-default",
    selector,
    maxUnavailable: 1,
    expected: 2,
    healthy: 2,
  });
}

function controllers(world: World): void {
  const labels = { "app.kubernetes.io/part-of": "kserve", "control-plane": "kserve-controller-manager" };
  world.deployment({
    namespace: "redhat-ods-applications",
    name: "kserve-controller-manager",
    labels,
    selector: labels,
    places: [{ node: workers[0] }],
    startSeconds: 14,
    spec: {
      serviceAccountName: "kserve-controller-manager",
      containers: [
        container(
          "manager",
          "registry.redhat.io/rhoai/odh-kserve-controller-rhel9:v3.5",
          { cpu: "100m", memory: "300Mi" },
          { memory: "5Gi" },
          {
            ports: [{ name: "webhook-server", containerPort: 9443, protocol: "TCP" }],
            ...httpProbe("/readyz", 8081, 10),
          },
        ),
      ],
    },
  });
  world.service({
    namespace: "redhat-ods-applications",
    name: "kserve-webhook-server-service",
    selector: labels,
    ports: [{ port: 443, targetPort: "webhook-server", protocol: "TCP" }],
  });
  world.add({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "inferenceservice.serving.kserve.io" },
    webhooks: [
      {
        name: "inferenceservice.kserve-webhook-server.pod-mutator",
        admissionReviewVersions: ["v1beta1"],
        clientConfig: {
          service: {
            name: "kserve-webhook-server-service",
            namespace: "redhat-ods-applications",
            path: "/mutate-pods",
            port: 443,
          },
        },
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        namespaceSelector: {},
        objectSelector: { matchExpressions: [{ key: "serving.kserve.io/inferenceservice", operator: "Exists" }] },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"], scope: "*" }],
        sideEffects: "None",
        timeoutSeconds: 10,
      },
    ],
  });
}

/** Required anti-affinity on the node, towards pods with these labels. */
function apart(matchLabels: Fields): Fields {
  const term = { labelSelector: { matchLabels }, topologyKey: "kubernetes.io/hostname" };
  return { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
}

const gpuToleration = [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }];
const engineResources = { cpu: "4", memory: "16Gi", "nvidia.com/gpu": "1" };
/** Old replicas leave before new ones come: with a replica on every GPU node there is no room for one more. */
const makeRoomFirst = { maxSurge: 0, maxUnavailable: 1 };

function ready(places: readonly PodPlace[]): number {
  return places.filter((place) => place.node !== null && place.ready !== false).length;
}

function chat(world: World, options: OpenShiftOptions): void {
  const common = { "app.kubernetes.io/name": "chat", "app.kubernetes.io/part-of": "llminferenceservice" };
  const workload = { ...common, "kserve.io/component": "workload" };
  const affinity =
    options.antiAffinity === "right"
      ? { affinity: apart({ "app.kubernetes.io/name": "chat", "kserve.io/component": "workload" }) }
      : options.antiAffinity === "written"
        ? { affinity: apart({ "serving.kserve.io/inferenceservice": "chat" }) }
        : {};
  const right = options.antiAffinity === "right";
  const owner = world.add({
    apiVersion: "serving.kserve.io/v1alpha2",
    kind: "LLMInferenceService",
    metadata: { name: "chat", namespace: models, generation: 1 },
    spec: {
      model: { name: "chat", uri: "pvc://models/chat" },
      replicas: options.engines,
      ...(right ? { rolloutStrategy: makeRoomFirst } : {}),
      router: {
        gateway: { refs: [{ name: "openshift-ai-inference", namespace: "openshift-ingress" }] },
        route: {},
        scheduler: {},
      },
      template: {
        ...affinity,
        tolerations: gpuToleration,
        containers: [{ name: "main", resources: { requests: engineResources, limits: engineResources } }],
      },
    },
  });
  const labels = {
    ...workload,
    "app.kubernetes.io/component": "llminferenceservice-workload",
    "llm-d.ai/role": "both",
  };
  world.deployment({
    namespace: models,
    name: "chat-kserve",
    labels,
    selector: labels,
    owner,
    ...(right ? { strategy: { type: "RollingUpdate", rollingUpdate: makeRoomFirst } } : {}),
    places: options.chat,
    startSeconds: 184,
    spec: {
      terminationGracePeriodSeconds: 60,
      ...affinity,
      tolerations: gpuToleration,
      containers: [
        container("main", "registry.redhat.io/rhaii/vllm-cuda-rhel9:3.5", engineResources, engineResources, {
          args: ["--model=/mnt/models", "--served-model-name=chat", "--port=8000"],
          ports: [{ containerPort: 8000, protocol: "TCP" }],
          lifecycle: { preStop: { exec: { command: ["/bin/sh", "-c", "sleep 15"] } } },
          ...httpProbe("/health", 8000, 10),
        }),
      ],
    },
  });
  scheduler(world, owner, common);
  world.service({
    namespace: models,
    name: "chat-kserve-workload-svc",
    labels: { ...common, "app.kubernetes.io/component": "llminferenceservice-workload" },
    owner,
    selector: workload,
    ports: [{ name: "https", port: 8000, targetPort: 8000, protocol: "TCP", appProtocol: "https" }],
  });
  routes(world, owner, common, workload);
  const written = options.budgets === "written";
  world.budget({
    namespace: models,
    name: "chat-pdb",
    // As the page has it: the service's name alone, which is on the scheduler's pods too.
    selector: written ? { "app.kubernetes.io/name": "chat" } : workload,
    minAvailable: 1,
    expected: options.engines + (written ? 1 : 0),
    healthy: ready(options.chat) + (written ? 1 : 0),
  });
}

function scheduler(world: World, owner: Item, common: Fields): void {
  const labels = { ...common, "app.kubernetes.io/component": "llminferenceservice-router-scheduler" };
  world.deployment({
    namespace: models,
    name: "chat-kserve-router-scheduler",
    labels,
    selector: labels,
    owner,
    strategy: { type: "Recreate" },
    places: [{ node: workers[0] }],
    startSeconds: 38,
    spec: {
      serviceAccountName: "chat-epp-sa",
      terminationGracePeriodSeconds: 60,
      containers: [
        container(
          "main",
          "registry.redhat.io/rhoai/odh-llm-d-router-endpoint-picker-rhel9:v3.5",
          { cpu: "1", memory: "2Gi" },
          { cpu: "6", memory: "16Gi" },
          {
            args: [
              "--pool-name=chat-inference-pool",
              `--pool-namespace=${models}`,
              "--grpc-port=9002",
              "--grpc-health-port=9003",
            ],
            readinessProbe: {
              grpc: { port: 9003, service: "readiness" },
              initialDelaySeconds: 30,
              periodSeconds: 10,
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
    namespace: models,
    name: "chat-epp-service",
    labels,
    owner,
    selector: labels,
    ports: [{ name: "grpc", port: 9002, targetPort: "grpc", protocol: "TCP" }],
  });
}

function routes(world: World, owner: Item, common: Fields, workload: Fields): void {
  const reference = {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata["uid"],
    controller: true,
    blockOwnerDeletion: true,
  };
  world.add({
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: {
      name: "chat-inference-pool",
      namespace: models,
      generation: 1,
      labels: { ...common, "app.kubernetes.io/component": "llminferenceservice-router-scheduler" },
      ownerReferences: [reference],
    },
    spec: {
      appProtocol: "http",
      selector: { matchLabels: workload },
      targetPorts: [{ number: 8000 }],
      endpointPickerRef: {
        group: "",
        kind: "Service",
        name: "chat-epp-service",
        port: { number: 9002 },
        failureMode: "FailOpen",
      },
    },
  });
  world.add({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: {
      name: "chat-kserve-route",
      namespace: models,
      generation: 1,
      labels: { ...common, "app.kubernetes.io/component": "llminferenceservice-router" },
      ownerReferences: [reference],
    },
    spec: {
      parentRefs: [
        {
          group: "gateway.networking.k8s.io",
          kind: "Gateway",
          name: "openshift-ai-inference",
          namespace: "openshift-ingress",
        },
      ],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: `/${models}/chat` } }],
          backendRefs: [
            {
              group: "inference.networking.k8s.io",
              kind: "InferencePool",
              name: "chat-inference-pool",
              port: 8000,
              weight: 1,
            },
          ],
          timeouts: { backendRequest: "0s", request: "0s" },
        },
      ],
    },
  });
}

function rank(world: World, options: OpenShiftOptions): void {
  const affinity =
    options.antiAffinity === "none" ? {} : { affinity: apart({ "serving.kserve.io/inferenceservice": "rank" }) };
  const strategy =
    options.antiAffinity === "right" ? { type: "RollingUpdate", rollingUpdate: makeRoomFirst } : undefined;
  const owner = world.add({
    apiVersion: "serving.kserve.io/v1beta1",
    kind: "InferenceService",
    metadata: {
      name: "rank",
      namespace: models,
      generation: 1,
      annotations: { "serving.kserve.io/deploymentMode": "Standard", "serving.kserve.io/autoscalerClass": "none" },
      labels: { "networking.kserve.io/visibility": "exposed", "opendatahub.io/dashboard": "true" },
    },
    spec: {
      predictor: {
        ...affinity,
        ...(strategy ? { deploymentStrategy: strategy } : {}),
        minReplicas: options.engines,
        maxReplicas: options.engines,
        tolerations: gpuToleration,
        model: {
          modelFormat: { name: "vLLM" },
          runtime: "vllm-cuda-runtime",
          storageUri: "pvc://models/rank",
          resources: { requests: engineResources, limits: engineResources },
        },
      },
    },
  });
  const labels = { app: "isvc.rank-predictor", component: "predictor", "serving.kserve.io/inferenceservice": "rank" };
  world.deployment({
    namespace: models,
    name: "rank-predictor",
    labels,
    selector: { app: "isvc.rank-predictor" },
    podLabels: labels,
    owner,
    ...(strategy ? { strategy } : {}),
    places: options.rank,
    startSeconds: 131,
    spec: {
      ...affinity,
      tolerations: gpuToleration,
      containers: [
        container(
          "kserve-container",
          "registry.redhat.io/rhaii/vllm-cuda-rhel9:3.5",
          engineResources,
          engineResources,
          {
            args: ["--model=/mnt/models", "--served-model-name=rank", "--port=8080"],
            ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
            ...httpProbe("/health", 8080, 10),
          },
        ),
      ],
    },
  });
  world.service({
    namespace: models,
    name: "rank-predictor",
    labels,
    owner,
    selector: { app: "isvc.rank-predictor" },
    ports: [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" }],
  });
  world.add({
    apiVersion: "route.openshift.io/v1",
    kind: "Route",
    metadata: { name: "rank", namespace: models, labels: { "inferenceservice-name": "rank" } },
    spec: {
      host: `rank-${models}.apps.example.com`,
      port: { targetPort: "http" },
      tls: { insecureEdgeTerminationPolicy: "Redirect", termination: "edge" },
      to: { kind: "Service", name: "rank-predictor", weight: 100 },
      wildcardPolicy: "None",
    },
  });
  const written = options.budgets === "written";
  world.budget({
    namespace: models,
    name: "rank-pdb",
    // As the page has it: KServe's label is isvc.rank-predictor.
    selector: { app: written ? "isvc.rank" : "isvc.rank-predictor" },
    minAvailable: 1,
    expected: written ? 0 : options.engines,
    healthy: written ? 0 : ready(options.rank),
  });
}
