import type { WireObject } from "../../src/wire/snapshot.ts";
import { poolCluster, type Shape } from "./pool-cluster.ts";

/** A pool to be judged, and what is right to say of it. */
export interface Fixture {
  readonly name: string;
  readonly about: string;
  readonly objects: () => readonly WireObject[];
  /** Endpoint namespace → its verdict, where it is not `safe`. */
  readonly verdicts: Readonly<Record<string, "unsafe" | "stalls">>;
  /** From being bound to being Ready; null: as usual. */
  readonly podStartMs: number | null;
  /** Drains of the counterexample, where there is one. */
  readonly drains: number | null;
}

/** 24 nodes of which no two are alike, 300 pods, 8 endpoints of four hops. */
export const unlike: Shape = {
  nodes: 24,
  endpoints: 8,
  others: 240,
  fill: 0.7,
  free: 0.4,
  budgets: 1,
  spread: 0.7,
  alike: false,
  kured: true,
};

/** A pool of 24 nodes no two alike, one that breaks and one that stalls, each the same but for what hurts it. */
export function unlikeFixtures(seed: number): readonly Fixture[] {
  const pool = (): readonly WireObject[] => withTaints(poolCluster(seed, unlike));
  return [
    {
      name: `unlike-safe-${seed}`,
      about: "24 nodes no two alike, every part under a budget",
      objects: pool,
      verdicts: {},
      podStartMs: null,
      drains: null,
    },
    {
      name: `unlike-breaks-${seed}`,
      about: "the same, and a picker without a budget whose spare place another pod can take: three drains break it",
      objects: () => [...pool(), ...trio({ budget: false })],
      verdicts: { trio: "unsafe" },
      podStartMs: null,
      drains: 3,
    },
    {
      name: `unlike-stalls-${seed}`,
      about:
        "the same, and a picker with a budget whose pods meet on one node while another pod takes the room they left",
      objects: () => [...pool(), ...trio({ budget: true })],
      verdicts: { trio: "stalls" },
      podStartMs: null,
      drains: 3,
    },
  ];
}

export const fixtures: readonly Fixture[] = [
  ...unlikeFixtures(2),
  {
    name: "like-200",
    about: "200 nodes all alike",
    objects: () => poolCluster(1, { ...unlike, nodes: 200, others: 2000, alike: true }),
    verdicts: {},
    podStartMs: null,
    drains: null,
  },
  {
    name: "one-order-of-nine",
    about: "eleven nodes, of which nine drained in one order and no other break a floor",
    objects: () => chain(),
    verdicts: { chain: "unsafe" },
    podStartMs: 0,
    drains: 9,
  },
];

type Metadata = WireObject["metadata"];

/** Soft taints, each node's its own. */
function withTaints(objects: readonly WireObject[]): readonly WireObject[] {
  return objects.map((object) => {
    if (object.kind !== "Node") return object;
    return { ...object, spec: { taints: [{ key: `kept-for-${object.metadata.name}`, effect: "PreferNoSchedule" }] } };
  });
}

/**
 * An endpoint whose picker's two pods have four nodes of their own to be on: a, b and a spare one, which a filler of the fourth
 * fills when that is drained. Then the pod of a has to go to b, and the drain of b takes both.
 */
function trio({ budget }: { readonly budget: boolean }): readonly WireObject[] {
  const own = (role: string): { readonly [label: string]: string } => ({ [`trio-${role}`]: "yes" });
  // With a budget the two pods have only a and b, and the filler may take a.
  const spare = budget ? {} : own("picker");
  return [
    namespace("trio"),
    ...endpoint("trio"),
    node("trio-a", 1000, { ...own("picker"), ...(budget ? own("filler") : {}) }),
    node("trio-b", 2000, own("picker")),
    ...(budget ? [] : [node("trio-c", 1000, { ...spare, ...own("filler") })]),
    node("trio-x", 1100, own("filler")),
    ...workload("trio", "epp", { app: "epp" }, 300, own("picker"), ["trio-a", "trio-b"], budget),
    ...workload("trio", "filler", { app: "filler" }, 900, own("filler"), ["trio-x"], false),
    ...workload("trio", "engine", { app: "engine" }, 100, own("engine"), ["trio-e", "trio-f"], true),
    ...workload("trio", "envoy-trio-gw", proxyLabels("trio"), 100, own("engine"), ["trio-e", "trio-f"], true),
    node("trio-e", 1000, own("engine")),
    node("trio-f", 1000, own("engine")),
    node("trio-g", 1000, own("engine")),
  ];
}

/**
 * A pod that waits for node-1 gets its place when node-1 was drained; the one that was there then waits for node-2, and so on. The
 * last one takes the place of an engine that may run nowhere else, and the drain of the other engine leaves none.
 */
function chain(): readonly WireObject[] {
  const links = 7;
  const labels = (index: number): { readonly [label: string]: string } => ({
    [`link-${index}`]: "yes",
    [`link-${index + 1}`]: "yes",
  });
  return [
    namespace("chain"),
    namespace("kube-system"),
    ...kured(),
    ...endpoint("chain"),
    // Link i may run on node i and node i + 1; the engine's node is node 8.
    ...Array.from({ length: links }, (_, at) => node(`chain-${at + 1}`, 1000, labels(at))),
    node("chain-8", 1000, { [`link-${links}`]: "yes", "engine-a": "yes" }),
    node("chain-9", 1000, { "engine-b": "yes" }),
    node("chain-p", 1000, { part: "yes" }),
    node("chain-q", 1000, { part: "yes" }),
    ...workload("chain", "link-0", { app: "link-0" }, 900, { "link-0": "yes" }, [null], false),
    ...Array.from({ length: links }, (_, at) =>
      workload(
        "chain",
        `link-${at + 1}`,
        { app: `l${at + 1}` },
        900,
        { [`link-${at + 1}`]: "yes" },
        [`chain-${at + 1}`],
        false,
      ),
    ).flat(),
    ...workload("chain", "engine-a", { app: "engine", half: "a" }, 900, { "engine-a": "yes" }, ["chain-8"], false),
    ...workload("chain", "engine-b", { app: "engine", half: "b" }, 900, { "engine-b": "yes" }, ["chain-9"], false),
    ...workload("chain", "epp", { app: "epp" }, 100, { part: "yes" }, ["chain-p", "chain-q"], true),
    ...workload("chain", "envoy-chain-gw", proxyLabels("chain"), 100, { part: "yes" }, ["chain-p", "chain-q"], true),
  ];
}

/**
 * Node b can be drained once the engine of a stands elsewhere, and then c, with the other picker. Only where the engine starts
 * sooner than the picker of a, no picker is left.
 */
export function mixed(): readonly WireObject[] {
  const own = (role: string): { readonly [label: string]: string } => ({ [role]: "yes" });
  return [
    namespace("mixed"),
    ...endpoint("mixed"),
    node("mixed-a", 2000, { ...own("picker"), ...own("engine") }),
    node("mixed-b", 1000, own("engine")),
    node("mixed-c", 1000, own("picker")),
    node("mixed-d", 2000, { ...own("picker"), ...own("engine"), ...own("part") }),
    node("mixed-e", 1000, own("part")),
    ...workload("mixed", "engine", { app: "engine" }, 100, own("engine"), ["mixed-a", "mixed-b"], true),
    ...workload("mixed", "epp", { app: "epp" }, 100, own("picker"), ["mixed-a", "mixed-c"], false),
    ...workload("mixed", "envoy-mixed-gw", proxyLabels("mixed"), 100, own("part"), ["mixed-d", "mixed-e"], true),
  ];
}

function namespace(name: string): WireObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

/** Kept for pods that tolerate it. */
function node(name: string, cpu: number, labels: { readonly [label: string]: string }): WireObject {
  const size = { cpu: `${cpu}m`, memory: "8Gi", pods: "110" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, "node-pool": "main", ...labels } },
    spec: { taints: [{ key: "kept", value: "yes", effect: "NoSchedule" }] },
    status: {
      capacity: size,
      allocatable: size,
      conditions: [{ type: "Ready", status: "True" }],
      nodeInfo: { kubeletVersion: "v1.36.3" },
    },
  };
}

function kured(): readonly WireObject[] {
  return poolCluster(1, { ...unlike, nodes: 1, endpoints: 0, others: 0 }).filter(({ kind }) => kind === "DaemonSet");
}

function proxyLabels(namespace: string): { readonly [label: string]: string } {
  return {
    "app.kubernetes.io/managed-by": "envoy-gateway",
    "app.kubernetes.io/name": "envoy",
    "gateway.envoyproxy.io/owning-gateway-name": "gw",
    "gateway.envoyproxy.io/owning-gateway-namespace": namespace,
  };
}

function endpoint(namespace: string): readonly WireObject[] {
  const metadata = (name: string): Metadata => ({ namespace, name });
  return [
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "GatewayClass",
      metadata: { name: "envoy" },
      spec: { controllerName: "gateway.envoyproxy.io/gatewayclass-controller" },
    },
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: metadata("gw"),
      spec: { gatewayClassName: "envoy", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
    },
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: metadata("chat"),
      spec: {
        parentRefs: [{ name: "gw" }],
        rules: [{ backendRefs: [{ group: "inference.networking.k8s.io", kind: "InferencePool", name: "chat" }] }],
      },
    },
    {
      apiVersion: "inference.networking.k8s.io/v1",
      kind: "InferencePool",
      metadata: metadata("chat"),
      spec: {
        selector: { matchLabels: { app: "engine" } },
        targetPorts: [{ number: 8000 }],
        endpointPickerRef: { name: "epp", port: { number: 9002 }, failureMode: "FailClose" },
      },
    },
  ];
}

/** A Deployment with a pod on each of these nodes; null: it waits. */
function workload(
  namespace: string,
  name: string,
  labels: { readonly [label: string]: string },
  cpu: number,
  nodeSelector: { readonly [label: string]: string },
  places: readonly (string | null)[],
  budget: boolean,
): readonly WireObject[] {
  const hash = "6c5d8b9f7";
  const image =
    labels["app"] === "epp" ? "llm-d-router-endpoint-picker" : labels["app"] === "engine" ? "vllm-openai" : "part";
  const spec = {
    nodeSelector,
    tolerations: [{ key: "kept", operator: "Exists" }],
    containers: [
      {
        name: "main",
        image: `registry.example/${image}:1`,
        resources: { requests: { cpu: `${cpu}m`, memory: "64Mi" } },
      },
    ],
  };
  const metadata = (more: Metadata): Metadata => ({ namespace, name, ...more });
  const revision = { "deployment.kubernetes.io/revision": "1" };
  const hashed = { ...labels, "pod-template-hash": hash };
  const ownedBy = (
    kind: string,
    owner: string,
    uid: string,
  ): readonly { readonly [field: string]: string | boolean }[] => [
    { apiVersion: "apps/v1", kind, name: owner, uid, controller: true, blockOwnerDeletion: true },
  ];
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: metadata({ uid: `d-${name}`, annotations: revision }),
      spec: { replicas: places.length, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: metadata({
        name: `${name}-${hash}`,
        uid: `r-${name}`,
        annotations: revision,
        labels: hashed,
        ownerReferences: ownedBy("Deployment", name, `d-${name}`),
      }),
      spec: {
        replicas: places.length,
        selector: { matchLabels: hashed },
        template: { metadata: { labels: hashed }, spec },
      },
    },
    { apiVersion: "v1", kind: "Service", metadata: metadata({}), spec: { selector: labels, ports: [{ port: 80 }] } },
    ...(budget
      ? [
          {
            apiVersion: "policy/v1",
            kind: "PodDisruptionBudget",
            metadata: metadata({}),
            spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
          },
        ]
      : []),
    ...places.map(
      (place, index): WireObject => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata: metadata({
          name: `${name}-${hash}-${index}xyzw`,
          labels: hashed,
          ownerReferences: ownedBy("ReplicaSet", `${name}-${hash}`, `r-${name}`),
        }),
        spec: { ...spec, ...(place === null ? {} : { nodeName: place }) },
        status:
          place === null
            ? { phase: "Pending" }
            : {
                phase: "Running",
                conditions: [
                  { type: "Ready", status: "True" },
                  { type: "PodScheduled", status: "True" },
                ],
              },
      }),
    ),
  ];
}
