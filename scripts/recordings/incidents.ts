import type { Fields, Item } from "./objects.ts";
import { antiAffinity, budget, deployment, namespace, nodes, service, spread } from "./objects.ts";
import type { Recording } from "./recording.ts";
import { recording } from "./recording.ts";
import { all, scale } from "./steps.ts";

const tolerateGpu = { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }] };
const gpuTaint = [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }];

interface GatewayShape {
  /** Where the pickers are, as places. */
  readonly pickers?: string;
  readonly elected?: boolean;
  readonly pickerBudget?: boolean;
  readonly pickerStrategy?: Fields;
  readonly pickerSpec?: Fields;
}

/** Two system nodes, two GPU nodes; gateway, picker and DNS live on the system nodes, one pod each but DNS. */
function gatewayCluster(shape: GatewayShape = {}): readonly (Item | readonly Item[])[] {
  const small = { cpu: "50m", memory: "64Mi" };
  const lone = (name: string, ns: string, on: string): Item[] => deployment(name, on, { ns, ...small });
  const critical = { priorityClassName: "system-cluster-critical", priority: 2000000000 };
  return [
    namespace("gateway"),
    nodes("gpu-1 gpu-2", {
      cpu: "128",
      memory: "1600Gi",
      gpu: 8,
      zone: "zone-a",
      labels: { "node-pool": "gpu" },
      taints: gpuTaint,
    }),
    nodes("system-1 system-2", { cpu: "4", memory: "16Gi", zone: "zone-a", labels: { "node-pool": "system" } }),
    lone("gateway-controller", "gateway", "system-2"),
    lone("cert-manager", "cert-manager", "system-2"),
    lone("cert-manager-cainjector", "cert-manager", "system-1"),
    lone("cert-manager-webhook", "cert-manager", "system-2"),
    lone("trust-manager", "cert-manager", "system-1"),
    deployment("proxy", "system-2", {
      ns: "gateway",
      cpu: "500m",
      memory: "512Mi",
      spec: { terminationGracePeriodSeconds: 360 },
    }),
    lone("envoy-gateway", "gateway", "system-1"),
    deployment("coredns", "system-1 system-1", { ns: "kube-system", cpu: "100m", memory: "70Mi", spec: critical }),
    lone("lws-controller-manager", "lws-system", "system-1"),
    deployment("chat-engine", "gpu-1 gpu-2", {
      ns: "models",
      cpu: "32",
      memory: "256Gi",
      gpu: 8,
      spec: { nodeSelector: { "node-pool": "gpu" }, terminationGracePeriodSeconds: 120, ...tolerateGpu },
    }),
    deployment("picker", shape.pickers ?? "system-1", {
      ns: "models",
      cpu: "500m",
      memory: "1Gi",
      args: ["--pool-name=chat", ...(shape.elected === true ? ["--ha-enable-leader-election"] : [])],
      spec: { terminationGracePeriodSeconds: 60, ...shape.pickerSpec },
      ...(shape.pickerStrategy === undefined ? {} : { with: { strategy: shape.pickerStrategy } }),
    }),
    lone("collector", "telemetry", "system-2"),
    service("gateway-controller", "gateway-controller", "gateway"),
    service("cert-manager-webhook", "cert-manager-webhook", "cert-manager"),
    service("proxy", "proxy", "gateway"),
    service("kube-dns", "coredns", "kube-system"),
    service("chat-engine", "chat-engine", "models"),
    service("picker", "picker", "models"),
    budget("coredns", { min: 1, ns: "kube-system", status: [2, 2] }),
    shape.pickerBudget === true
      ? [budget("picker", { max: 1, ns: "models", status: [2, shape.elected === true ? 1 : 2] })]
      : [],
  ];
}

/** Both system nodes closed; the one without DNS emptied, down a while, back; then the other. */
const bothNodes: readonly Fields[] = [
  { cordon: ["system-1", "system-2"] },
  { drain: "system-2", stopAfter: "25s" },
  { down: { node: "system-2", for: "12s" } },
  { uncordon: ["system-2"] },
  { drain: "system-1", stopAfter: "25s" },
  { down: { node: "system-1", for: "12s" } },
  { uncordon: ["system-1"] },
  all,
];

/**
 * Two of each on the path, a budget each, kept apart by the spread given. In turn: one rollout after the other, for a spread
 * that leaves the place to scores, which depend on who came first.
 */
function fixed(constraint: Fields, { inTurn } = { inTurn: false }): readonly Fields[] {
  const grow = (name: string, ns: string, replicas: boolean): Fields => ({
    patch: { spec: { ...(replicas ? { replicas: 2 } : {}), template: { spec: spread(name, constraint) } } },
    target: { apiVersion: "apps/v1", kind: "Deployment", namespace: ns, name },
    type: "strategic",
  });
  return [
    { apply: [budget("picker", { max: 1, ns: "models" }), budget("proxy", { max: 1, ns: "gateway" })] },
    grow("picker", "models", true),
    ...(inTurn ? [all] : []),
    grow("proxy", "gateway", true),
    ...(inTurn ? [all] : []),
    grow("coredns", "kube-system", false),
    all,
  ];
}

const elected = { elected: true, pickerBudget: true } as const;

const gateways: readonly Recording[] = [
  recording(
    "gateway-both-nodes",
    "Both system nodes closed at once, one back before the other is emptied: gateway and picker are out while they wait.",
    gatewayCluster(),
    bothNodes,
  ),
  recording(
    "gateway-none-back",
    "The same with no node coming back: the second drain stalls on the last DNS pod.",
    gatewayCluster(),
    [{ cordon: ["system-1", "system-2"] }, { drain: "system-2" }, { drain: "system-1" }],
  ),
  recording(
    "gateway-fix-plain",
    "Two of each with a plain hard spread: the rollout never finishes beside tainted nodes.",
    gatewayCluster(),
    fixed({}),
    { quiet: "8s" },
  ),
  recording(
    "gateway-fix-honor",
    "A spread that honours taints and knows the template: rolled out, and the path stays up.",
    gatewayCluster(),
    [...fixed({ nodeTaintsPolicy: "Honor", matchLabelKeys: ["pod-template-hash"] }), ...bothNodes],
  ),
  recording("gateway-fix-keys", "Template keys alone: up throughout, and spread again at the end.", gatewayCluster(), [
    ...fixed({ matchLabelKeys: ["pod-template-hash"] }),
    ...bothNodes,
  ]),
  recording("gateway-fix-soft", "A soft spread: DNS may sit on one node, and goes down with it.", gatewayCluster(), [
    ...fixed({ whenUnsatisfiable: "ScheduleAnyway" }, { inTurn: true }),
    ...bothNodes,
  ]),
  recording(
    "gateway-elected-rollout",
    "Two pickers of which only the leader is Ready, rolled out one more at a time: never done.",
    gatewayCluster(),
    [
      { apply: [budget("picker", { max: 1, ns: "models" })] },
      {
        patch: {
          spec: {
            replicas: 2,
            template: {
              spec: {
                containers: [{ name: "main", args: ["--pool-name=chat", "--ha-enable-leader-election"] }],
                ...spread("picker", { nodeTaintsPolicy: "Honor", matchLabelKeys: ["pod-template-hash"] }),
              },
            },
          },
        },
        target: { apiVersion: "apps/v1", kind: "Deployment", namespace: "models", name: "picker" },
        type: "strategic",
      },
      all,
    ],
    { quiet: "8s" },
  ),
  recording(
    "gateway-elected-leader",
    "The leader's node: the standby is not Ready, the budget is used up, the drain stalls.",
    gatewayCluster({ ...elected, pickers: "system-1 system-2!" }),
    [{ drain: "system-1" }],
  ),
  recording(
    "gateway-elected-standby",
    "The standby's node: unready and the budget met, it goes.",
    gatewayCluster({ ...elected, pickers: "system-2 system-1!" }),
    [{ drain: "system-1" }],
  ),
  recording(
    "gateway-elected-unguarded",
    "The leader's node without a budget: out until the standby takes over.",
    gatewayCluster({ elected: true, pickers: "system-1 system-2!" }),
    [{ drain: "system-1" }],
  ),
];

const gpuWorker = { cpu: "4", memory: "16Gi", gpu: 1 };

/** Three workers, two GPU nodes; two models, one of them kept apart. */
function modelCluster(
  chat: string,
  rank: string,
  chatSpec: Fields = {},
  min: readonly [number, number] = [1, 1],
): readonly (Item | readonly Item[])[] {
  return [
    nodes("gpu-1 gpu-2", { cpu: "48", memory: "384Gi", gpu: 8, taints: gpuTaint }),
    nodes("worker-1 worker-2 worker-3", { cpu: "8", memory: "32Gi" }),
    deployment("chat", chat, { ...gpuWorker, spec: { ...tolerateGpu, ...chatSpec } }),
    deployment("rank", rank, { ...gpuWorker, spec: { ...tolerateGpu, ...antiAffinity("rank") } }),
    deployment("router", "worker-1", { memory: "2Gi", with: { strategy: { type: "Recreate" } } }),
    service("chat"),
    service("rank"),
    service("router"),
    budget("chat", { min: 1, status: min }),
    budget("rank", { min: 1, status: min }),
  ];
}

const scaleBoth = (replicas: number): readonly Fields[] => ["chat", "rank"].map((name) => scale(name, replicas));

const models: readonly Recording[] = [
  recording(
    "models-scaled-by-hand",
    "One replica each, one has to stay: the drain stalls until both are scaled to two by hand; scaling back takes the youngest.",
    modelCluster("gpu-1", "gpu-1"),
    [
      { drain: "gpu-1", stopAfter: "8s" },
      ...scaleBoth(2),
      all,
      { drain: "gpu-1" },
      { down: { node: "gpu-1", for: "10s" } },
      { uncordon: ["gpu-1"] },
      all,
      { wait: "8s" },
      ...scaleBoth(1),
    ],
    { quiet: "9s" },
  ),
  recording(
    "models-more-than-nodes",
    "Kept apart and scaled past the nodes: one of each waits.",
    modelCluster("gpu-1 gpu-2", "gpu-1 gpu-2", antiAffinity("chat"), [2, 2]),
    [...scaleBoth(3), all],
  ),
  recording(
    "models-selector-misses",
    "A term that selects no pod keeps nothing apart: the third is placed.",
    modelCluster("gpu-1 gpu-2", "gpu-1 gpu-2", antiAffinity("chat-kserve"), [2, 2]),
    [...scaleBoth(3), all],
  ),
];

/** Whole clusters, as an incident or a vendor's page describes them. */
export const incidents: readonly Recording[] = [...gateways, ...models];
