import type { Random } from "../../src/base/random.ts";
import type { JsonObject as Json, WireObject } from "../../src/wire/snapshot.ts";

/** What a workload of somebody else's asks for. */
export interface Ask {
  readonly milliCpu: number;
  readonly priority: number;
  /** Taints of the same keys are tolerated. */
  readonly nodeSelector: Readonly<Record<string, string>>;
}

/** Where its pods stand. */
export type Places = readonly [first: string, second: string, third: string];

/** Something that is not at rest, beside what is asked about. */
export type Unrest = (ask: Ask, places: Places, name: string) => readonly WireObject[];

const namespace = "elsewhere";
const [now, before] = ["5d4f8c7b9", "6c7d8e9f0"];

export const unrests: Readonly<Record<string, Unrest>> = {
  "a replica is missing": (ask, places, name) => [
    ...deployment(name, 3, ask),
    ...podsOn(name, ask, places.slice(0, 2)),
  ],
  "a pod waits": (ask, places, name) => [...deployment(name, 2, ask), ...podsOn(name, ask, [places[0], null])],
  "no node takes a pod": (ask, _, name) => {
    const odd = { ...ask, nodeSelector: { "no-such": "label" } };
    return [...deployment(name, 1, odd), ...podsOn(name, odd, [null])];
  },
  "no node is large enough for a pod": (ask, _, name) => {
    const large = { ...ask, milliCpu: 4_000_000 };
    return [...deployment(name, 1, large), ...podsOn(name, large, [null])];
  },
  "a pod is not Ready": (ask, [first], name) => [...deployment(name, 1, ask), ...podsOn(name, ask, [first], notReady)],
  "a rollout is half done": (ask, [first, second], name) => [
    ...deployment(name, 2, ask, "2"),
    set(name, 1, ask, before),
    ...podsOn(name, ask, [first], {}, before),
    ...podsOn(name, ask, [second], notReady),
  ],
  "an autoscaler wants more": (ask, [first], name) => [
    ...deployment(name, 1, ask),
    ...podsOn(name, ask, [first]),
    autoscaler(name, 2),
  ],
  "a job has more to make": (ask, [first], name) => [job(name, 2, ask), ...jobPods(name, ask, [first])],
  "a job runs": (ask, [first, second], name) => [job(name, 2, ask), ...jobPods(name, ask, [first, second])],
  "a job may go on": (ask, _, name) => [job(name, 2, ask, { suspend: true })],
  "a pod is told to stop": (ask, [first, second], name) => [
    ...deployment(name, 1, ask),
    ...podsOn(name, ask, [first]),
    ...podsOn(`${name}`, ask, [second], stopping).map((pod) => renamed(pod, "old")),
  ],
  "a pod stays told to stop": (ask, [first, second], name) => [
    ...deployment(name, 1, ask),
    ...podsOn(name, ask, [first]),
    ...podsOn(name, ask, [second], { metadata: { ...stopping.metadata, finalizers: ["example.com/kept"] } }).map(
      (pod) => renamed(pod, "old"),
    ),
  ],
  "a pod has no owner": (ask, [first], name) => [pod(name, [], { app: name }, ask, first)],
};

/** A Deployment that has all of its pods, on these nodes. */
export function atRest(name: string, ask: Ask, nodes: readonly string[]): readonly WireObject[] {
  return [...deployment(name, nodes.length, ask), ...podsOn(name, ask, nodes)];
}

/** One to three of them, of sizes and priorities of their own, where there is room. */
export function withUnrest(random: Random, objects: readonly WireObject[]): readonly WireObject[] {
  const nodes = objects.filter(({ kind }) => kind === "Node").map(({ metadata }) => String(metadata["name"]));
  const more = Array.from({ length: 1 + random.below(3) }, (_, index) => {
    const ask: Ask = {
      milliCpu: random.pick([50, 200, 1_000, 3_000, 8_000]),
      priority: random.pick([0, 0, 0, -10, 500, 5_000]),
      nodeSelector: random.next() < 0.3 ? { [`pool-${random.below(4)}`]: "yes" } : {},
    };
    const places: Places = [random.pick(nodes), random.pick(nodes), random.pick(nodes)];
    return random.pick(Object.values(unrests))(ask, places, `x${index}`);
  });
  return [...objects, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, ...more.flat()];
}

interface Odd {
  readonly metadata?: Json;
  readonly status?: Json;
}

const notReady: Odd = { status: { phase: "Running", conditions: [{ type: "Ready", status: "False" }] } };
const stopping = { metadata: { deletionTimestamp: "2026-11-30T10:00:00Z", deletionGracePeriodSeconds: 30 } };

function deployment(name: string, replicas: number, ask: Ask, revision = "1"): readonly WireObject[] {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: podSpec(ask) };
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { namespace, name, uid: `d-${name}`, annotations: { "deployment.kubernetes.io/revision": revision } },
      spec: { replicas, selector: { matchLabels: labels }, template, strategy },
    },
    set(name, revision === "1" ? replicas : replicas - 1, ask, now, revision),
  ];
}

function set(name: string, replicas: number, ask: Ask, hash: string, revision = "1"): WireObject {
  const labels = { app: name, "pod-template-hash": hash };
  // What was before the rollout had another grace.
  const spec = hash === now ? podSpec(ask) : { ...podSpec(ask), terminationGracePeriodSeconds: 31 };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      namespace,
      name: `${name}-${hash}`,
      uid: `r-${name}-${hash}`,
      labels,
      annotations: { "deployment.kubernetes.io/revision": revision },
      ownerReferences: [owner("apps/v1", "Deployment", name, `d-${name}`)],
    },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

function podsOn(
  name: string,
  ask: Ask,
  nodes: readonly (string | null)[],
  odd: Odd = {},
  hash: string = now,
): readonly WireObject[] {
  const owners = [owner("apps/v1", "ReplicaSet", `${name}-${hash}`, `r-${name}-${hash}`)];
  const labels = { app: name, "pod-template-hash": hash };
  return nodes.map((node, index) => pod(`${name}-${hash}-p${index}`, owners, labels, ask, node, odd));
}

function job(name: string, parallelism: number, ask: Ask, more: Json = {}): WireObject {
  const labels = { "batch.kubernetes.io/job-name": name };
  const template = { metadata: { labels }, spec: { ...podSpec(ask), restartPolicy: "Never" } };
  const spec = { parallelism, completions: 5, selector: { matchLabels: labels }, template, ...more };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { namespace, name, uid: `j-${name}` }, spec };
}

function jobPods(name: string, ask: Ask, nodes: readonly string[]): readonly WireObject[] {
  const owners = [owner("batch/v1", "Job", name, `j-${name}`)];
  return nodes.map((node, index) =>
    pod(`${name}-${index}`, owners, { "batch.kubernetes.io/job-name": name }, ask, node),
  );
}

function autoscaler(name: string, desiredReplicas: number): WireObject {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { namespace, name, uid: `h-${name}` },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name }, minReplicas: 1, maxReplicas: 4 },
    status: { desiredReplicas, conditions: [{ type: "ScalingActive", status: "True" }] },
  };
}

function pod(
  name: string,
  ownerReferences: readonly Json[],
  labels: Json,
  ask: Ask,
  nodeName: string | null,
  { metadata = {}, status }: Odd = {},
): WireObject {
  const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name, uid: `p-${name}`, labels, ownerReferences: [...ownerReferences], ...metadata },
    spec: { ...podSpec(ask), ...(nodeName === null ? {} : { nodeName }) },
    status: nodeName === null ? { phase: "Pending" } : (status ?? running),
  };
}

function renamed(object: WireObject, more: string): WireObject {
  const name = `${String(object.metadata["name"])}-${more}`;
  return { ...object, metadata: { ...object.metadata, name, uid: `p-${name}` } };
}

function podSpec({ milliCpu, priority, nodeSelector }: Ask): Json {
  const resources = { requests: { cpu: `${milliCpu}m`, memory: "64Mi" } };
  return {
    containers: [{ name: "main", image: "registry.example/other:1", resources }],
    priority,
    nodeSelector: { ...nodeSelector },
    tolerations: Object.keys(nodeSelector).map((key) => ({ key, operator: "Exists" })),
  };
}

function owner(apiVersion: string, kind: string, name: string, uid: string): Json {
  return { apiVersion, kind, name, uid, controller: true };
}
