import { createHash } from "node:crypto";

/** Plain Kubernetes objects, as small as a server takes them. */
export interface Fields {
  readonly [field: string]: unknown;
}

export interface Item extends Fields {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Fields & { readonly name: string; readonly namespace?: string };
}

/** When everything in the loaded clusters began. */
const since = "2026-11-01T08:00:00Z";
const ends = [
  "bcdfg",
  "hjklm",
  "npqrs",
  "tvwxz",
  "bdghk",
  "cfjln",
  "dhmqt",
  "fkprv",
  "gjnsx",
  "lqtwz",
  "bhpvx",
  "cmrtz",
];
const templateHash = "6d4b75cb6d";

/** Same text, same uid: a cluster written again has no diff. */
export function uid(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function namespace(name: string, labels: Fields = {}): Item {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name, ...labels } },
  };
}

export interface NodeShape {
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly gpu?: number;
  readonly zone?: string;
  readonly labels?: Fields;
  readonly taints?: readonly Fields[];
  readonly unschedulable?: boolean;
}

export function node(name: string, shape: NodeShape = {}): Item {
  const size = {
    cpu: shape.cpu ?? "8",
    memory: shape.memory ?? "32Gi",
    pods: shape.pods ?? "110",
    ...(shape.gpu === undefined ? {} : { "nvidia.com/gpu": String(shape.gpu) }),
  };
  const spec = {
    ...(shape.unschedulable === true ? { unschedulable: true } : {}),
    ...(shape.taints === undefined ? {} : { taints: shape.taints }),
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        ...(shape.zone === undefined ? {} : { "topology.kubernetes.io/zone": shape.zone }),
        ...shape.labels,
      },
    },
    ...(Object.keys(spec).length > 0 ? { spec } : {}),
    status: {
      capacity: size,
      allocatable: size,
      conditions: [
        { type: "Ready", status: "True", reason: "KubeletReady", lastHeartbeatTime: since, lastTransitionTime: since },
      ],
    },
  };
}

export function nodes(names: string, shape: NodeShape = {}): Item[] {
  return names.split(" ").map((name) => node(name, shape));
}

/** What the pods of a workload are. Everything not said is left to the server. */
export interface PodShape {
  readonly cpu?: string;
  readonly memory?: string;
  readonly gpu?: number;
  readonly labels?: Fields;
  readonly annotations?: Fields;
  readonly args?: readonly string[];
  /** Further fields of the only container. */
  readonly container?: Fields;
  /** Further fields of the pod's spec. */
  readonly spec?: Fields;
}

export function podSpec(app: string, shape: PodShape): Fields {
  const gpu = shape.gpu === undefined ? {} : { "nvidia.com/gpu": String(shape.gpu) };
  return {
    containers: [
      {
        name: "main",
        image: `${app}:1`,
        ...(shape.args === undefined ? {} : { args: shape.args }),
        resources: {
          requests: { cpu: shape.cpu ?? "1", memory: shape.memory ?? "1Gi", ...gpu },
          ...(shape.gpu === undefined ? {} : { limits: gpu }),
        },
        ...shape.container,
      },
    ],
    ...shape.spec,
  };
}

/**
 * Where a pod is and how it does. `n1`: Ready on n1. `n1!`: running there, not Ready. `n1?`: bound, still Pending.
 * `?`: waiting for a node. `n1$`: finished there.
 */
export type Place = string;

function statusAt(place: Place, index: number, app: string): Fields {
  const condition = (type: string, status: string, extra: Fields = {}): Fields => ({
    type,
    status,
    ...extra,
    lastTransitionTime: since,
  });
  if (place === "?")
    return { phase: "Pending", conditions: [condition("PodScheduled", "False", { reason: "Unschedulable" })] };
  const scheduled = condition("PodScheduled", "True");
  if (place.endsWith("?"))
    return {
      phase: "Pending",
      startTime: since,
      conditions: [
        scheduled,
        condition("Initialized", "True"),
        condition("Ready", "False", { reason: "ContainersNotReady" }),
      ],
    };
  if (place.endsWith("$"))
    return {
      phase: "Succeeded",
      startTime: since,
      conditions: [scheduled, condition("Ready", "False", { reason: "PodCompleted" })],
    };
  const ready = !place.endsWith("!");
  const say = ready ? {} : { reason: "ContainersNotReady" };
  const ip = `10.1.${createHash("sha256").update(app).digest()[0] ?? 0}.${index + 11}`;
  return {
    phase: "Running",
    startTime: since,
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [
      scheduled,
      condition("Initialized", "True"),
      condition("ContainersReady", ready ? "True" : "False", say),
      condition("Ready", ready ? "True" : "False", say),
    ],
    containerStatuses: [
      {
        name: "main",
        image: `${app}:1`,
        imageID: "",
        ready,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: since } },
      },
    ],
  };
}

function nodeOf(place: Place): Fields {
  const name = place.replace(/[!?$]$/, "");
  return name === "" ? {} : { nodeName: name };
}

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

function ownedBy({ apiVersion, kind, name, uid: id }: Owner): Fields {
  return { ownerReferences: [{ apiVersion, kind, name, uid: id, controller: true, blockOwnerDeletion: true }] };
}

export interface BarePodShape extends PodShape {
  readonly ns?: string;
  readonly owner?: Owner;
}

/** One pod by its own name. */
export function pod(name: string, place: Place, shape: BarePodShape = {}, index = 0): Item {
  const ns = shape.ns ?? "serving";
  const app = String(shape.labels?.["app"] ?? name);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: ns,
      uid: uid(`pod ${ns}/${name}`),
      creationTimestamp: since,
      labels: { app: name, ...shape.labels },
      ...(shape.annotations === undefined ? {} : { annotations: shape.annotations }),
      ...(shape.owner === undefined ? {} : ownedBy(shape.owner)),
    },
    spec: { ...podSpec(app, shape), ...nodeOf(place) },
    status: statusAt(place, index, app),
  };
}

function ownedPod(
  owner: Owner,
  ns: string,
  app: string,
  index: number,
  place: Place,
  shape: PodShape,
  labels: Fields,
): Item {
  const name = `${owner.name}-${ends[index] ?? index}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      generateName: `${owner.name}-`,
      namespace: ns,
      uid: uid(`pod ${ns}/${name}`),
      creationTimestamp: since,
      labels,
      ...(shape.annotations === undefined ? {} : { annotations: shape.annotations }),
      ...ownedBy(owner),
    },
    spec: { ...podSpec(app, shape), ...nodeOf(place) },
    status: statusAt(place, index, app),
  };
}

export interface WorkloadShape extends PodShape {
  readonly ns?: string;
  /** Defaults to the number of places. */
  readonly replicas?: number;
  /** Further fields of the workload's spec. */
  readonly with?: Fields;
}

const readyOf = (places: readonly Place[]): number => places.filter((place) => !/[!?$]$/.test(place)).length;

/** A Deployment with its ReplicaSet and pods, as controllers left them. */
export function deployment(name: string, places: string, shape: WorkloadShape = {}): Item[] {
  const at = places === "" ? [] : places.split(" ");
  const ns = shape.ns ?? "serving";
  const replicas = shape.replicas ?? at.length;
  const labels = { app: name, ...shape.labels };
  const hashed = { ...labels, "pod-template-hash": templateHash };
  const deploymentUid = uid(`deployment ${ns}/${name}`);
  const meta = shape.annotations === undefined ? {} : { annotations: shape.annotations };
  const set: Owner = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    name: `${name}-${templateHash}`,
    uid: uid(`set ${ns}/${name}`),
  };
  const ready = readyOf(at);
  const counts = { replicas: at.length, readyReplicas: ready, availableReplicas: ready };
  const condition = (type: string, status: string, reason: string): Fields => ({
    type,
    status,
    reason,
    lastUpdateTime: since,
    lastTransitionTime: since,
  });
  const available = ready >= replicas;
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name,
        namespace: ns,
        uid: deploymentUid,
        generation: 1,
        labels,
        annotations: { "deployment.kubernetes.io/revision": "1" },
      },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels, ...meta }, spec: podSpec(name, shape) },
        ...shape.with,
      },
      status: {
        observedGeneration: 1,
        updatedReplicas: at.length,
        ...counts,
        ...(replicas > ready ? { unavailableReplicas: replicas - ready } : {}),
        conditions: [
          condition("Progressing", "True", "NewReplicaSetAvailable"),
          condition(
            "Available",
            available ? "True" : "False",
            available ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
          ),
        ],
      },
    },
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        name: set.name,
        namespace: ns,
        uid: set.uid,
        generation: 1,
        labels: hashed,
        annotations: {
          "deployment.kubernetes.io/desired-replicas": String(replicas),
          "deployment.kubernetes.io/max-replicas": String(replicas + 1),
          "deployment.kubernetes.io/revision": "1",
        },
        ...ownedBy({ apiVersion: "apps/v1", kind: "Deployment", name, uid: deploymentUid }),
      },
      spec: {
        replicas,
        selector: { matchLabels: { app: name, "pod-template-hash": templateHash } },
        template: { metadata: { labels: hashed, ...meta }, spec: podSpec(name, shape) },
      },
      status: { observedGeneration: 1, fullyLabeledReplicas: at.length, ...counts },
    },
    ...at.map((place, index) => ownedPod(set, ns, name, index, place, shape, hashed)),
  ];
}

/** The name of the pod of a Deployment at an index of its places. */
export function podOf(name: string, index: number, ns = "serving"): string {
  return `${ns}/${name}-${templateHash}-${ends[index] ?? index}`;
}

/** The name of a pod made while recording. */
export function madeBy(name: string, count: number, ns = "serving"): string {
  return `${ns}/${name}-${templateHash}-~${count}`;
}

/** A ReplicaSet or ReplicationController that nobody owns, with its pods. */
export function loneSet(
  kind: "ReplicaSet" | "ReplicationController",
  name: string,
  places: string,
  shape: WorkloadShape = {},
): Item[] {
  const at = places.split(" ");
  const ns = shape.ns ?? "serving";
  const labels = { app: name, ...shape.labels };
  const apiVersion = kind === "ReplicaSet" ? "apps/v1" : "v1";
  const owner: Owner = { apiVersion, kind, name, uid: uid(`${kind} ${ns}/${name}`) };
  return [
    {
      apiVersion,
      kind,
      metadata: { name, namespace: ns, uid: owner.uid, generation: 1, labels },
      spec: {
        replicas: shape.replicas ?? at.length,
        selector: kind === "ReplicaSet" ? { matchLabels: { app: name } } : { app: name },
        template: { metadata: { labels }, spec: podSpec(name, shape) },
        ...shape.with,
      },
      status: {
        observedGeneration: 1,
        replicas: at.length,
        fullyLabeledReplicas: at.length,
        readyReplicas: readyOf(at),
        availableReplicas: readyOf(at),
      },
    },
    ...at.map((place, index) => ownedPod(owner, ns, name, index, place, shape, labels)),
  ];
}

/**
 * A StatefulSet with its pods. OnDelete, because the pods of the file carry no revision: a controller would replace them
 * one by one. Scenarios about updates apply theirs.
 */
export function statefulSet(name: string, places: string, shape: WorkloadShape = {}): Item[] {
  const at = places.split(" ");
  const ns = shape.ns ?? "serving";
  const labels = { app: name, ...shape.labels };
  const owner: Owner = { apiVersion: "apps/v1", kind: "StatefulSet", name, uid: uid(`stateful ${ns}/${name}`) };
  return [
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name, namespace: ns, uid: owner.uid, generation: 1, labels },
      spec: {
        replicas: shape.replicas ?? at.length,
        serviceName: name,
        updateStrategy: { type: "OnDelete" },
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels }, spec: podSpec(name, shape) },
        ...shape.with,
      },
      status: {
        observedGeneration: 1,
        replicas: at.length,
        readyReplicas: readyOf(at),
        availableReplicas: readyOf(at),
        currentReplicas: at.length,
      },
    },
    ...at.map((place, index) =>
      pod(
        `${name}-${index}`,
        place,
        {
          ...shape,
          ns,
          labels: {
            ...labels,
            "statefulset.kubernetes.io/pod-name": `${name}-${index}`,
            "apps.kubernetes.io/pod-index": String(index),
          },
          owner,
          spec: { hostname: `${name}-${index}`, subdomain: name, ...shape.spec },
        },
        index,
      ),
    ),
  ];
}

/** A DaemonSet with one pod on each place; OnDelete for the reason a StatefulSet is. */
export function daemonSet(name: string, places: string, shape: WorkloadShape = {}): Item[] {
  const at = places.split(" ");
  const ns = shape.ns ?? "serving";
  const labels = { app: name, ...shape.labels };
  const owner: Owner = { apiVersion: "apps/v1", kind: "DaemonSet", name, uid: uid(`daemon ${ns}/${name}`) };
  const count = at.length;
  const tolerations = [
    ...["not-ready", "unreachable"].map((key) => ({
      key: `node.kubernetes.io/${key}`,
      operator: "Exists",
      effect: "NoExecute",
    })),
    ...["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"].map((key) => ({
      key: `node.kubernetes.io/${key}`,
      operator: "Exists",
      effect: "NoSchedule",
    })),
  ];
  return [
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name, namespace: ns, uid: owner.uid, generation: 1, labels },
      spec: {
        updateStrategy: { type: "OnDelete" },
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels }, spec: podSpec(name, shape) },
        ...shape.with,
      },
      status: {
        observedGeneration: 1,
        currentNumberScheduled: count,
        desiredNumberScheduled: count,
        numberReady: count,
        numberAvailable: count,
        numberMisscheduled: 0,
        updatedNumberScheduled: count,
      },
    },
    ...at.map((place, index) => {
      const affinity = {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [place] }] }],
          },
        },
      };
      return ownedPod(
        owner,
        ns,
        name,
        index,
        place,
        { ...shape, spec: { affinity, tolerations, ...shape.spec } },
        labels,
      );
    }),
  ];
}

export function service(name: string, app = name, ns = "serving", extra: Fields = {}): Item {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: ns },
    spec: { selector: { app }, ports: [{ name: "http", port: 8000 }], ...extra },
  };
}

export interface BudgetShape {
  readonly min?: number | string;
  readonly max?: number | string;
  readonly policy?: "IfHealthyBudget" | "AlwaysAllow";
  /** Defaults to the app of the budget's name. */
  readonly selector?: Fields;
  readonly ns?: string;
  /** What the disruption controller had written: expected pods and healthy ones. Left out: never synced. */
  readonly status?: readonly [expected: number, healthy: number];
}

export function budget(name: string, shape: BudgetShape): Item {
  const { min, max } = shape;
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: shape.ns ?? "serving", generation: 1 },
    spec: {
      ...(min === undefined ? {} : { minAvailable: min }),
      ...(max === undefined ? {} : { maxUnavailable: max }),
      ...(shape.policy === undefined ? {} : { unhealthyPodEvictionPolicy: shape.policy }),
      selector: shape.selector ?? { matchLabels: { app: name } },
    },
    ...(shape.status === undefined ? {} : { status: budgetStatus(shape, shape.status) }),
  };
}

function budgetStatus({ min, max }: BudgetShape, [expectedPods, currentHealthy]: readonly [number, number]): Fields {
  const share = (value: number | string): number =>
    typeof value === "number" ? value : Math.ceil((expectedPods * Number.parseInt(value, 10)) / 100);
  const desiredHealthy = min !== undefined ? share(min) : Math.max(0, expectedPods - share(max ?? 0));
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const reason = disruptionsAllowed > 0 ? "SufficientPods" : "InsufficientPods";
  return {
    observedGeneration: 1,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed,
    conditions: [
      {
        type: "DisruptionAllowed",
        status: disruptionsAllowed > 0 ? "True" : "False",
        reason,
        message: "",
        observedGeneration: 1,
        lastTransitionTime: since,
      },
    ],
  };
}

export function priorityClass(name: string, value: number, extra: Fields = {}): Item {
  return { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name }, value, ...extra };
}

export function quota(name: string, hard: Fields, used: Fields, ns = "serving"): Item {
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name, namespace: ns },
    spec: { hard },
    status: { hard, used },
  };
}

/** A trimmed stand-in for a custom resource's definition: any spec, no scale. */
export function customResource(group: string, version: string, kind: string, plural: string): Item {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}

/** Keep copies apart: by host name, or another key. */
export function spread(app: string, extra: Fields = {}): Fields {
  return {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "kubernetes.io/hostname",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app } },
        ...extra,
      },
    ],
  };
}

export function antiAffinity(app: string, extra: Fields = {}): Fields {
  return {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app } }, topologyKey: "kubernetes.io/hostname", ...extra },
        ],
      },
    },
  };
}
