import type { Finding } from "../../src/finding/finding.ts";
import type { ScenarioOutcome } from "../../src/finding/outcome.ts";
import { findingsOf } from "../../src/finding/registry.ts";
import type { Actor } from "../../src/maintenance/actor.ts";
import { poolsOf } from "../../src/maintenance/pool.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { Journal } from "../../src/sim/journal.ts";
import { Ledger } from "../../src/sim/ledger.ts";
import { gateway, object, pool, route, service, servingCluster, type Thing, toPool } from "./serving.ts";

/**
 * A small cluster in which no rule finds anything: two of each part on two nodes, spread, under budgets, with room for one
 * more. A test changes one thing and says what is found then.
 */
export interface PartSpec {
  namespace: string;
  replicas: number;
  /** Where each pod is; null: Pending. */
  nodes: (string | null)[];
  unready: number;
  /** What the scheduler says of its Pending pods. */
  pending: string;
  labels: Record<string, string>;
  /** Of the Deployment. */
  annotations: Record<string, string>;
  podAnnotations: Record<string, string>;
  args: string[];
  requests: Record<string, string>;
  /** Added to the pod spec. */
  spec: Record<string, unknown>;
  spread: Record<string, unknown>[];
  strategy: Record<string, unknown>;
  budgets: { name: string; spec: Record<string, unknown>; labels: Record<string, string> }[];
}

export interface World {
  readonly nodes: { name: string; pool: string; zone: string; gpus: number; cpu: string }[];
  readonly dns: PartSpec;
  readonly gateway: PartSpec;
  readonly picker: PartSpec;
  readonly engine: PartSpec;
  readonly cordoned: string[];
  failureMode: string;
  /** timeouts.request of the route; "": none stated. */
  requestTimeout: string;
  /** Anything else. */
  readonly more: Thing[];
}

export type PartName = "dns" | "gateway" | "picker" | "engine";
const partNames: readonly PartName[] = ["dns", "gateway", "picker", "engine"];
const objectNames: { readonly [name in PartName]: string } = {
  dns: "coredns",
  gateway: "proxy",
  picker: "epp",
  engine: "vllm",
};

/** Which part the scenario `pool-maintenance/system` showed to break the endpoint, or to stall on. */
export type Shows = { readonly [name in PartName]?: "broke" | "stalled" };

/** Two replicas on two nodes, spread, under a budget. */
export function twoOf(name: string, namespace: string, nodes: string[]): PartSpec {
  const labels = { app: name };
  const spread = {
    maxSkew: 1,
    topologyKey: "kubernetes.io/hostname",
    whenUnsatisfiable: "DoNotSchedule",
    nodeTaintsPolicy: "Honor",
    matchLabelKeys: ["pod-template-hash"],
    labelSelector: { matchLabels: labels },
  };
  return {
    namespace,
    replicas: 2,
    nodes,
    unready: 0,
    pending: "0/4 nodes are available: 4 node(s) didn't match pod topology spread constraints.",
    labels,
    annotations: {},
    podAnnotations: {},
    args: [],
    requests: { cpu: "100m", memory: "128Mi" },
    spec: {},
    spread: [spread],
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
    budgets: [{ name, spec: { maxUnavailable: 1, selector: { matchLabels: labels } }, labels: {} }],
  };
}

function healthyWorld(): World {
  const system = (name: string, zone: string) => ({ name, pool: "system", zone, gpus: 0, cpu: "4" });
  const gpu = (name: string, zone: string) => ({ name, pool: "gpu", zone, gpus: 8, cpu: "64" });
  const world: World = {
    nodes: [system("s1", "a"), system("s2", "b"), gpu("g1", "a"), gpu("g2", "b")],
    dns: twoOf(objectNames.dns, "kube-system", ["s1", "s2"]),
    gateway: twoOf(objectNames.gateway, "ns", ["s1", "s2"]),
    picker: twoOf(objectNames.picker, "ns", ["s1", "s2"]),
    engine: twoOf(objectNames.engine, "ns", ["g1", "g2"]),
    cordoned: [],
    failureMode: "FailClose",
    requestTimeout: "",
    more: [],
  };
  world.dns.labels["k8s-app"] = "kube-dns";
  world.gateway.labels["gateway.networking.k8s.io/gateway-name"] = "g";
  world.engine.requests["nvidia.com/gpu"] = "2";
  world.engine.spec["nodeSelector"] = { "node-pool": "gpu" };
  world.engine.spec["tolerations"] = [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }];
  return world;
}

/** What is found after the change, as `rule/message severity part` (`several`: not of one), in the order of the report. */
export function found(
  change: (world: World) => void,
  shows: Shows = {},
  actors: readonly Actor[] = [],
): readonly string[] {
  const world = healthyWorld();
  change(world);
  return foundIn(thingsOf(world), shows, actors);
}

/** What to do about each finding of a rule after the change. */
export function remediesAfter(change: (world: World) => void, rule: string): readonly string[] {
  const world = healthyWorld();
  change(world);
  return findingsIn(thingsOf(world)).flatMap((finding) => (finding.rule === rule ? [finding.remedy] : []));
}

/** As `found`, on any objects; one maintainer for all pools. */
export function foundIn(
  things: readonly Thing[],
  shows: Shows = {},
  maintainers: readonly Actor[] = [],
): readonly string[] {
  return findingsIn(things, shows, maintainers).map(
    ({ rule, id, severity, component }) =>
      `${rule}/${id} ${severity} ${component.slice(component.lastIndexOf("/") + 1) || "several"}`,
  );
}

function findingsIn(
  things: readonly Thing[],
  shows: Shows = {},
  [maintainer]: readonly Actor[] = [],
): readonly Finding[] {
  const cluster = servingCluster(things);
  const { endpoints, supporting } = endpointsOf(cluster);
  const outcomes: ScenarioOutcome[] = partNames
    .filter((name) => shows[name] !== undefined)
    .map((name) => ({
      name: "pool-maintenance/system",
      partOfVerdict: true,
      verdicts: new Map(endpoints.map((endpoint) => [endpoint, shows[name] === "broke" ? "unsafe" : "stalls"])),
      hops: new Map(
        endpoints
          .flatMap(({ hops }) => hops)
          .map((hop) => [
            hop,
            {
              wasDown: hop.hop === name && shows[name] === "broke",
              stalled: hop.hop === name && shows[name] === "stalled",
            },
          ]),
      ),
      closedForGood: new Set(),
    }));
  const view = new Ledger(cluster, new Journal());
  const maintainers = new Map(
    poolsOf(cluster.nodes).flatMap(({ name }) => (maintainer === undefined ? [] : [[name, maintainer]])),
  );
  return findingsOf({ cluster, view, endpoints, supporting, outcomes, maintainers });
}

function thingsOf(world: World): readonly Thing[] {
  return [
    ...world.nodes.map((node) => cordonedIf(world.cordoned.includes(node.name), nodeOf(node))),
    ...partNames.flatMap((name) => running(objectNames[name], world[name])),
    service("kube-dns", { "k8s-app": "kube-dns" }, { namespace: "kube-system" }),
    service("epp", { app: "epp" }),
    gateway("g", "istio"),
    pool("m", { app: "vllm" }, "epp", world.failureMode),
    withTimeout(route("m", "g", toPool("m")), world.requestTimeout),
    ...world.more,
  ];
}

function cordonedIf(cordoned: boolean, node: Thing): Thing {
  return cordoned ? { ...node, spec: { unschedulable: true } } : node;
}

function withTimeout(route: Thing, request: string): Thing {
  if (request === "") return route;
  const spec = { parentRefs: [{ name: "g" }], rules: [{ backendRefs: [toPool("m")], timeouts: { request } }] };
  return { ...route, spec };
}

export function nodeOf({ name, pool: poolName, zone, gpus, cpu }: World["nodes"][number]): Thing {
  const amounts = { cpu, memory: "16Gi", pods: "110", ...(gpus > 0 ? { "nvidia.com/gpu": String(gpus) } : {}) };
  const labels = { "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone, "node-pool": poolName };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
    spec: gpus > 0 ? { taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }] } : {},
    status: { allocatable: amounts, capacity: amounts, conditions: [{ type: "Ready", status: "True" }] },
  };
}

/** A Deployment, its ReplicaSet and pods, and its budgets. `owner`: the custom resource above it. */
export function running(name: string, spec: PartSpec, owner?: Thing): readonly Thing[] {
  const { namespace, labels } = spec;
  const hashed = { ...labels, "pod-template-hash": "h" };
  const container = {
    name: "main",
    image: "app:1",
    args: spec.args,
    resources: { requests: spec.requests, limits: gpusOf(spec) },
  };
  const podSpec = { containers: [container], topologySpreadConstraints: spec.spread, ...spec.spec };
  const owned = (kind: string, by: string): Thing => ({
    ownerReferences: [{ apiVersion: "apps/v1", kind, name: by, uid: by, controller: true }],
  });
  const selector = { matchLabels: { app: labels["app"] } };
  const annotations = spec.podAnnotations;
  const template = (of: Thing): Thing => ({ metadata: { labels: of, annotations }, spec: podSpec });
  const meta = (more: Thing): Thing => ({ namespace, ...more });
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: meta({
        name,
        labels,
        annotations: spec.annotations,
        uid: name,
        ...(owner ? { ownerReferences: [{ ...owner, uid: "o", controller: true }] } : {}),
      }),
      spec: { replicas: spec.replicas, selector, strategy: spec.strategy, template: template(labels) },
    },
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: meta({ name: `${name}-h`, labels: hashed, uid: `${name}-h`, ...owned("Deployment", name) }),
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: { ...selector.matchLabels, "pod-template-hash": "h" } },
        template: template(hashed),
      },
    },
    ...spec.nodes.map((node, index) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: meta({ name: `${name}-h-${index}`, labels: hashed, annotations, ...owned("ReplicaSet", `${name}-h`) }),
      spec: { ...podSpec, ...(node === null ? {} : { nodeName: node }) },
      status: node === null ? pendingStatus(spec.pending) : statusOf(index >= spec.unready),
    })),
    ...spec.budgets.map((budget) => ({
      ...object("policy/v1", "PodDisruptionBudget", budget.name, budget.spec, { namespace, labels: budget.labels }),
    })),
  ];
}

function pendingStatus(message: string): Thing {
  return {
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
  };
}

function statusOf(ready: boolean): Thing {
  return { phase: "Running", conditions: [{ type: "Ready", status: ready ? "True" : "False" }] };
}

function gpusOf({ requests }: PartSpec): Thing {
  const gpus = requests["nvidia.com/gpu"];
  return gpus === undefined ? {} : { "nvidia.com/gpu": gpus };
}
