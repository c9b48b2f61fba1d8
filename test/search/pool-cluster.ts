import { type Random, seededRandom } from "../../src/base/random.ts";
import type { WireObject } from "../../src/wire/snapshot.ts";

/** What a generated cluster looks like. */
export interface Shape {
  readonly nodes: number;
  readonly endpoints: number;
  /** Pods of nobody's path that stand around and move too. */
  readonly others: number;
  /** Share of the nodes' CPU that is asked for, about. */
  readonly fill: number;
  /** Share of workloads that may go anywhere; the others keep to two nodes. */
  readonly free: number;
  /** Share of path parts under a budget of maxUnavailable 1; the others have none. */
  readonly budgets: number;
  /** Share of path parts kept apart by node. */
  readonly spread: number;
  /** Nodes like each other, or no two alike. */
  readonly alike: boolean;
  /** Sign of kured: one node at a time, any order, back after its reboot. */
  readonly kured: boolean;
}

interface Room {
  readonly name: string;
  cpu: number;
  memory: number;
  pods: number;
  readonly taken: Set<string>;
}

interface Part {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly replicas: number;
  readonly cpu: number;
  readonly memory: number;
  readonly pool: string | null;
  readonly budget: boolean;
  readonly apart: boolean;
  readonly image: string;
}

const gibi = 1024 ** 3;

/**
 * A cluster with model endpoints of four hops (DNS, gateway proxy, picker, engines) over nodes of several pools, every pod
 * placed where it fits. Same seed, same cluster.
 */
export function poolCluster(seed: number, shape: Shape): readonly WireObject[] {
  const random = seededRandom(seed);
  const objects: WireObject[] = [];
  const rooms: Room[] = [];
  for (let index = 0; index < shape.nodes; index += 1) {
    const cpu = shape.alike ? 16_000 : 12_000 + 500 * ((index * 7) % 24) + 100 * index;
    const memory = shape.alike ? 64 : 64 + index;
    const pools = Array.from({ length: 4 }, (_, pool) => pool).filter((pool) => (index + pool) % 4 < 3);
    const labels = Object.fromEntries(
      [...pools.map((pool) => `pool-${pool}`), `pair-${index >> 1}`, `one-${index}`].map((key) => [key, "yes"]),
    );
    const name = `node-${String(index).padStart(3, "0")}`;
    objects.push(node(name, cpu, memory, shape.alike ? {} : { ...labels, shape: `s${index}` }, index));
    rooms.push({ name, cpu, memory: memory * gibi, pods: 110, taken: new Set() });
  }
  const total = rooms.reduce((sum, room) => sum + room.cpu, 0);
  if (shape.kured) objects.push(...kured());
  objects.push(...namespaces(shape));
  const parts = partsOf(random, shape);
  for (const part of parts) objects.push(...workload(random, part, rooms));
  objects.push(...routes(shape));
  let asked = total - rooms.reduce((sum, room) => sum + room.cpu, 0);
  for (let index = 0; index < shape.others && asked < shape.fill * total; index += 1) {
    // What is bound to one or two nodes is large, what may go anywhere is small: as agents and batch beside services are.
    const isFree = shape.alike || random.next() < shape.free;
    const share = (shape.fill * total - asked) / (shape.others - index);
    const cpu = Math.max(50, Math.round(share * (isFree ? 0.3 : 1.4) * (0.7 + 0.6 * random.next())));
    const part: Part = {
      namespace: "others",
      name: `o${index}`,
      labels: { app: `o${index}` },
      replicas: 1,
      cpu,
      memory: gibi / 4,
      pool: isFree ? null : narrow(random, index % shape.nodes),
      budget: false,
      apart: false,
      image: "registry.example/other:1",
    };
    if (!rooms.some((room, at) => fits(part, room, at))) continue;
    objects.push(...workload(random, part, rooms));
    asked += cpu;
  }
  return objects;
}

function partsOf(random: Random, shape: Shape): readonly Part[] {
  const dns: Part = {
    namespace: "kube-system",
    name: "coredns",
    labels: { "k8s-app": "kube-dns" },
    replicas: 2,
    cpu: 100,
    memory: gibi / 8,
    pool: null,
    budget: random.next() < shape.budgets,
    apart: random.next() < shape.spread,
    image: "registry.example/coredns:1.12",
  };
  const parts: Part[] = [dns];
  for (let index = 0; index < shape.endpoints; index += 1) {
    const namespace = `team-${index}`;
    const pool = shape.alike || random.next() < shape.free ? null : `pool-${random.below(4)}`;
    const of = (name: string, labels: Part["labels"], cpu: number, image: string): Part => ({
      namespace,
      name,
      labels,
      replicas: 2 + random.below(2),
      cpu,
      memory: gibi / 2,
      pool,
      budget: random.next() < shape.budgets,
      apart: random.next() < shape.spread,
      image,
    });
    parts.push(
      of(
        `envoy-${namespace}-gw`,
        {
          "app.kubernetes.io/managed-by": "envoy-gateway",
          "app.kubernetes.io/name": "envoy",
          "gateway.envoyproxy.io/owning-gateway-name": "gw",
          "gateway.envoyproxy.io/owning-gateway-namespace": namespace,
        },
        200,
        "registry.example/envoy:1",
      ),
      of("epp", { app: "epp" }, 300, "registry.example/llm-d-router-endpoint-picker:1"),
      of("engine", { app: "engine" }, 400 + 50 * random.below(5), "registry.example/vllm-openai:1"),
    );
  }
  return parts;
}

function workload(random: Random, part: Part, rooms: readonly Room[]): readonly WireObject[] {
  const { namespace, name } = part;
  const metadata = (more: object): WireObject["metadata"] => ({ namespace, name, ...more });
  const hash = "5d4f8c7b9";
  const template = { metadata: { labels: part.labels }, spec: podSpec(part) };
  const selector = { matchLabels: part.labels };
  const objects: WireObject[] = [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: metadata({ uid: `d-${namespace}-${name}`, annotations: { "deployment.kubernetes.io/revision": "1" } }),
      spec: {
        replicas: part.replicas,
        selector,
        template,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      },
    },
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: metadata({
        name: `${name}-${hash}`,
        uid: `r-${namespace}-${name}`,
        annotations: { "deployment.kubernetes.io/revision": "1" },
        labels: { ...part.labels, "pod-template-hash": hash },
        ownerReferences: [owner("apps/v1", "Deployment", name, `d-${namespace}-${name}`)],
      }),
      spec: {
        replicas: part.replicas,
        selector: { matchLabels: { ...part.labels, "pod-template-hash": hash } },
        template: { ...template, metadata: { labels: { ...part.labels, "pod-template-hash": hash } } },
      },
    },
  ];
  if (namespace !== "others") {
    objects.push({
      apiVersion: "v1",
      kind: "Service",
      metadata: metadata(namespace === "kube-system" ? { name: "kube-dns", labels: { "k8s-app": "kube-dns" } } : {}),
      spec: { selector: part.labels, ports: [{ port: 80 }] },
    });
  }
  if (part.budget) {
    objects.push({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: metadata({}),
      spec: { maxUnavailable: 1, selector },
    });
  }
  for (let index = 0; index < part.replicas; index += 1) {
    const nodeName = place(random, part, rooms);
    objects.push({
      apiVersion: "v1",
      kind: "Pod",
      metadata: metadata({
        name: `${name}-${hash}-${"bcdfg"[index] ?? "h"}${"hjklm"[index] ?? "n"}xyz`,
        labels: { ...part.labels, "pod-template-hash": hash },
        ownerReferences: [owner("apps/v1", "ReplicaSet", `${name}-${hash}`, `r-${namespace}-${name}`)],
      }),
      spec: { ...podSpec(part), ...(nodeName === null ? {} : { nodeName }) },
      status:
        nodeName === null
          ? { phase: "Pending" }
          : {
              phase: "Running",
              conditions: [
                { type: "Ready", status: "True" },
                { type: "PodScheduled", status: "True" },
              ],
            },
    });
  }
  return objects;
}

function podSpec(part: Part): WireObject["metadata"] {
  return {
    containers: [
      {
        name: "main",
        image: part.image,
        resources: { requests: { cpu: `${part.cpu}m`, memory: String(part.memory) } },
      },
    ],
    ...(part.pool === null ? {} : { nodeSelector: { [part.pool]: "yes" } }),
    ...(part.apart
      ? {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: part.labels } },
              ],
            },
          },
        }
      : {}),
  };
}

function place(random: Random, part: Part, rooms: readonly Room[]): string | null {
  const key = `${part.namespace}/${part.name}`;
  const start = random.below(rooms.length);
  for (let step = 0; step < rooms.length; step += 1) {
    const index = (start + step) % rooms.length;
    const room = rooms[index];
    if (room === undefined || !fits(part, room, index)) continue;
    room.cpu -= part.cpu;
    room.memory -= part.memory;
    room.pods -= 1;
    room.taken.add(key);
    return room.name;
  }
  return null;
}

function fits(part: Part, room: Room, index: number): boolean {
  if (room.cpu < part.cpu || room.memory < part.memory || room.pods < 1) return false;
  if (part.apart && room.taken.has(`${part.namespace}/${part.name}`)) return false;
  return part.pool === null || isIn(part.pool, index);
}

/** One or two nodes. */
function narrow(random: Random, index: number): string {
  return random.next() < 0.5 ? `pair-${index >> 1}` : `one-${index}`;
}

function isIn(pool: string, index: number): boolean {
  const number = Number(pool.slice(pool.indexOf("-") + 1));
  if (pool.startsWith("pair-")) return index >> 1 === number;
  if (pool.startsWith("one-")) return index === number;
  return (index + number) % 4 < 3;
}

function node(name: string, cpu: number, memoryGibi: number, labels: object, index: number): WireObject {
  const size = { cpu: `${cpu}m`, memory: `${memoryGibi}Gi`, pods: "110" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/zone": `zone-${index % 3}`,
        "node-pool": "main",
        ...labels,
      },
    },
    status: {
      capacity: size,
      allocatable: size,
      conditions: [{ type: "Ready", status: "True" }],
      nodeInfo: { kubeletVersion: "v1.36.3" },
    },
  };
}

function kured(): readonly WireObject[] {
  const template = {
    metadata: { labels: { name: "kured" } },
    spec: {
      containers: [{ name: "kured", image: "registry.example/kured:1.20" }],
      tolerations: [{ operator: "Exists" }],
    },
  };
  return [
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { namespace: "kube-system", name: "kured", uid: "ds-kured" },
      spec: { selector: { matchLabels: { name: "kured" } }, template, updateStrategy: { type: "OnDelete" } },
    },
  ];
}

function namespaces(shape: Shape): readonly WireObject[] {
  const names = ["kube-system", "others", ...Array.from({ length: shape.endpoints }, (_, index) => `team-${index}`)];
  return names.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));
}

function routes(shape: Shape): readonly WireObject[] {
  const objects: WireObject[] = [
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "GatewayClass",
      metadata: { name: "envoy" },
      spec: { controllerName: "gateway.envoyproxy.io/gatewayclass-controller" },
    },
  ];
  for (let index = 0; index < shape.endpoints; index += 1) {
    const namespace = `team-${index}`;
    objects.push(
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "Gateway",
        metadata: { namespace, name: "gw" },
        spec: { gatewayClassName: "envoy", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
      },
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        metadata: { namespace, name: "chat" },
        spec: {
          parentRefs: [{ name: "gw" }],
          rules: [{ backendRefs: [{ group: "inference.networking.k8s.io", kind: "InferencePool", name: "chat" }] }],
        },
      },
      {
        apiVersion: "inference.networking.k8s.io/v1",
        kind: "InferencePool",
        metadata: { namespace, name: "chat" },
        spec: {
          selector: { matchLabels: { app: "engine" } },
          targetPorts: [{ number: 8000 }],
          endpointPickerRef: { name: "epp", port: { number: 9002 }, failureMode: "FailClose" },
        },
      },
    );
  }
  return objects;
}

function owner(
  apiVersion: string,
  kind: string,
  name: string,
  uid: string,
): { readonly [field: string]: string | boolean } {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
