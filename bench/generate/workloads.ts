import type { JsonObject } from "../../src/wire/snapshot.ts";
import type { Draw } from "./draw.ts";
import { images, products } from "./nodes.ts";

/** daemon: a pod a node; model: asks for GPUs; beside: CPU only, tolerates the GPU taint; system: on system nodes. */
export type Place = "daemon" | "model" | "beside" | "system";

export interface Drawn {
  readonly index: number;
  readonly place: Place;
  readonly namespace: string;
  readonly app: string;
  readonly name: string;
  readonly hash: string;
  readonly uid: string;
  /** Of the object that makes its pods: the ReplicaSet, or the DaemonSet itself. */
  readonly makerUid: string;
  readonly gpus: number;
  /** A daemon for nodes with GPUs alone. */
  readonly onGpuNodes: boolean;
  /** Null: any product will do. */
  readonly product: string | null;
  readonly milliCpu: number;
  readonly memoryMi: number;
  readonly sidecar: boolean;
  readonly antiAffinity: "required" | "preferred" | "none";
  readonly spread: "DoNotSchedule" | "ScheduleAnyway" | "none";
  readonly settings: number;
  /** A checksum in the template's annotations. */
  readonly checksum: string;
  /** Share of its place's pods that are its own; many are small, few are large. */
  readonly weight: number;
}

const apps: Readonly<Record<Place, readonly string[]>> = {
  daemon: [],
  model: ["llama-70b", "qwen3-32b", "mixtral", "embedder", "reranker", "whisper"],
  beside: ["preprocess", "kv-cache", "agent-worker", "batcher"],
  system: ["router", "gateway", "picker", "operator", "api", "metrics", "queue"],
};

export function drawWorkload(index: number, namespaces: readonly string[], draw: Draw): Drawn {
  const kind = draw.share();
  const place: Place = kind < 0.35 ? "model" : kind < 0.65 ? "beside" : "system";
  const app = draw.pick(apps[place]);
  const gpus = place === "model" ? draw.pick([1, 1, 1, 2, 2, 4, 8]) : 0;
  const product = draw.share();
  return {
    index,
    place,
    namespace: draw.pick(namespaces),
    app,
    name: `${app}-${draw.suffix(6)}`,
    hash: draw.suffix(10),
    uid: draw.uid(),
    makerUid: draw.uid(),
    gpus,
    onGpuNodes: false,
    product: place === "model" && draw.chance(0.7) ? (products.find(({ upTo }) => product < upTo)?.name ?? null) : null,
    milliCpu:
      place === "model" ? gpus * 12_000 : draw.pick(place === "beside" ? [250, 500, 1000, 2000] : [50, 100, 200, 250]),
    memoryMi: place === "model" ? gpus * 131_072 : draw.pick(place === "beside" ? [512, 2048, 4096] : [128, 256, 512]),
    sidecar: draw.chance(0.3),
    antiAffinity: draw.chance(0.12) ? "required" : draw.chance(0.15) ? "preferred" : "none",
    spread: draw.chance(0.06) ? "DoNotSchedule" : draw.chance(0.2) ? "ScheduleAnyway" : "none",
    settings: 4 + draw.below(10),
    checksum: draw.hex(64),
    weight: Math.min(80, (draw.share() + 1e-3) ** -0.8),
  };
}

export const daemons: readonly {
  readonly name: string;
  readonly milliCpu: number;
  readonly memoryMi: number;
  readonly gpuOnly: boolean;
}[] = [
  { name: "kube-proxy", milliCpu: 100, memoryMi: 64, gpuOnly: false },
  { name: "network-agent", milliCpu: 150, memoryMi: 256, gpuOnly: false },
  { name: "node-exporter", milliCpu: 100, memoryMi: 128, gpuOnly: false },
  { name: "log-agent", milliCpu: 200, memoryMi: 512, gpuOnly: false },
  { name: "device-plugin", milliCpu: 50, memoryMi: 128, gpuOnly: true },
  { name: "gpu-exporter", milliCpu: 100, memoryMi: 512, gpuOnly: true },
];

export function drawDaemon(index: number, draw: Draw): Drawn {
  const daemon = daemons[index] ?? { name: "agent", milliCpu: 50, memoryMi: 64, gpuOnly: false };
  return {
    ...daemon,
    index: -1 - index,
    place: "daemon",
    namespace: "kube-system",
    app: daemon.name,
    hash: draw.suffix(10),
    uid: draw.uid(),
    makerUid: draw.uid(),
    gpus: 0,
    onGpuNodes: daemon.gpuOnly,
    product: null,
    sidecar: false,
    antiAffinity: "none",
    spread: "none",
    settings: 6,
    checksum: draw.hex(64),
    weight: 0,
  };
}

export function labelsOf(workload: Drawn): JsonObject {
  return {
    "app.kubernetes.io/component": workload.place,
    "app.kubernetes.io/instance": workload.name,
    "app.kubernetes.io/managed-by": "Helm",
    "app.kubernetes.io/name": workload.app,
    team: workload.namespace,
  };
}

export function selectorOf(workload: Drawn): JsonObject {
  return { matchLabels: { "app.kubernetes.io/instance": workload.name, "app.kubernetes.io/name": workload.app } };
}

/** As the API server returns it, defaults filled in. */
export function podSpec(workload: Drawn): JsonObject {
  const { place } = workload;
  const isDaemon = place === "daemon";
  return {
    ...affinityOf(workload),
    automountServiceAccountToken: true,
    containers: [mainContainer(workload), ...(workload.sidecar ? [sidecar] : [])],
    dnsPolicy: "ClusterFirst",
    enableServiceLinks: true,
    ...(place === "model" ? { initContainers: [initContainer(workload)] } : {}),
    ...(place === "system" ? { nodeSelector: { "example.com/pool": "system" } } : {}),
    ...(workload.onGpuNodes ? { nodeSelector: { "nvidia.com/gpu.present": "true" } } : {}),
    preemptionPolicy: "PreemptLowerPriority",
    priority: isDaemon ? 2_000_001_000 : 0,
    ...(isDaemon ? { priorityClassName: "system-node-critical" } : {}),
    restartPolicy: "Always",
    schedulerName: "default-scheduler",
    securityContext: { fsGroup: 1000, seccompProfile: { type: "RuntimeDefault" } },
    serviceAccount: workload.name,
    serviceAccountName: workload.name,
    terminationGracePeriodSeconds: place === "model" ? 300 : 30,
    tolerations: isDaemon
      ? [...daemonTolerations, gpuToleration]
      : place === "system"
        ? tolerations
        : [...tolerations, gpuToleration],
    ...(workload.spread === "none" ? {} : { topologySpreadConstraints: [spreadOf(workload)] }),
    volumes: [
      { emptyDir: {}, name: "models" },
      { emptyDir: {}, name: "tmp" },
      {
        name: "kube-api-access",
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { items: [{ key: "ca.crt", path: "ca.crt" }], name: "kube-root-ca.crt" } },
          ],
        },
      },
    ],
  };
}

function spreadOf(workload: Drawn): JsonObject {
  return {
    labelSelector: selectorOf(workload),
    maxSkew: 1,
    topologyKey: "topology.kubernetes.io/zone",
    whenUnsatisfiable: workload.spread,
  };
}

function affinityOf(workload: Drawn): JsonObject {
  const term = { labelSelector: selectorOf(workload), topologyKey: "kubernetes.io/hostname" };
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: "nvidia.com/gpu.product", operator: "In", values: [workload.product ?? ""] }] },
      ],
    },
  };
  const affinity = {
    ...(workload.product === null ? {} : { nodeAffinity }),
    ...(workload.antiAffinity === "required"
      ? { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
      : {}),
    ...(workload.antiAffinity === "preferred"
      ? {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: term, weight: 100 }],
          },
        }
      : {}),
  };
  return Object.keys(affinity).length === 0 ? {} : { affinity };
}

function mainContainer(workload: Drawn): JsonObject {
  const { gpus, milliCpu, memoryMi } = workload;
  const memory = `${memoryMi}Mi`;
  const whole = { cpu: `${milliCpu}m`, memory, "nvidia.com/gpu": String(gpus) };
  return {
    ...(workload.place === "model"
      ? {
          args: [
            "--model=/mnt/models",
            `--served-model-name=${workload.name}`,
            `--tensor-parallel-size=${gpus}`,
            "--port=8000",
            "--gpu-memory-utilization=0.92",
            "--max-model-len=32768",
          ],
          command: ["vllm", "serve"],
        }
      : {}),
    env: settings(workload.settings),
    image:
      workload.place === "model" ? "vllm/vllm-openai:v0.14.0" : `${images}/${workload.app}:v1.${workload.index & 31}.0`,
    imagePullPolicy: "IfNotPresent",
    livenessProbe: probe("/healthz"),
    name: "main",
    ports: [
      { containerPort: 8000, name: "http", protocol: "TCP" },
      { containerPort: 9090, name: "metrics", protocol: "TCP" },
    ],
    readinessProbe: probe("/readyz"),
    resources:
      gpus > 0 ? { limits: whole, requests: whole } : { limits: { memory }, requests: { cpu: `${milliCpu}m`, memory } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
    },
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    volumeMounts: [
      { mountPath: "/mnt/models", name: "models", readOnly: true },
      { mountPath: "/tmp", name: "tmp" },
      account,
    ],
  };
}

const account = {
  mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
  name: "kube-api-access",
  readOnly: true,
} as const;

export const sidecarMilliCpu = 50;
export const sidecarMemoryMi = 64;

const sidecar: JsonObject = {
  args: ["proxy", "sidecar"],
  env: settings(4),
  image: `${images}/sidecar:v2.1.0`,
  imagePullPolicy: "IfNotPresent",
  name: "proxy",
  ports: [{ containerPort: 15090, name: "http-envoy", protocol: "TCP" }],
  resources: {
    limits: { memory: "256Mi" },
    requests: { cpu: `${sidecarMilliCpu}m`, memory: `${sidecarMemoryMi}Mi` },
  },
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  volumeMounts: [account],
};

function initContainer(workload: Drawn): JsonObject {
  return {
    args: [`s3://models/${workload.name}`, "/mnt/models"],
    image: `${images}/model-loader:v0.16.0`,
    imagePullPolicy: "IfNotPresent",
    name: "model-loader",
    resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "100m", memory: "100Mi" } },
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    volumeMounts: [{ mountPath: "/mnt/models", name: "models" }],
  };
}

function settings(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, at) =>
    at % 4 === 3
      ? { name: `POD_FIELD_${at}`, valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } }
      : { name: `SETTING_${at}_NAME`, value: `value-${at}-xxxxxxxx` },
  );
}

function probe(path: string): JsonObject {
  return {
    failureThreshold: 3,
    httpGet: { path, port: "http", scheme: "HTTP" },
    periodSeconds: 10,
    successThreshold: 1,
    timeoutSeconds: 1,
  };
}

const gpuToleration = { effect: "NoSchedule", key: "nvidia.com/gpu", operator: "Exists" } as const;
const tolerations = ["not-ready", "unreachable"].map((name) => ({
  effect: "NoExecute",
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  tolerationSeconds: 300,
}));
const daemonTolerations = [
  ...["not-ready", "unreachable"].map((name) => ({
    effect: "NoExecute",
    key: `node.kubernetes.io/${name}`,
    operator: "Exists",
  })),
  ...["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"].map((name) => ({
    effect: "NoSchedule",
    key: `node.kubernetes.io/${name}`,
    operator: "Exists",
  })),
];
