import type { Cluster, OtherObject } from "../../src/model/cluster.ts";
import { type ObjectKey, objectKey } from "../../src/model/key.ts";
import type { LabelSelector } from "../../src/model/labels.ts";
import type { Node } from "../../src/model/node.ts";
import type { Pod } from "../../src/model/pod.ts";
import type { Container, PodTemplate } from "../../src/model/pod-template.ts";
import type { AdmissionWebhook, Autoscaler, Budget, BudgetStatus, Quota, Service } from "../../src/model/policy.ts";
import { noResources, type Resources } from "../../src/model/resources.ts";
import type {
  DaemonSet,
  Deployment,
  IntOrPercent,
  Job,
  LeaderWorkerSet,
  OtherOwner,
  ReplicaSet,
  StatefulSet,
  Workload,
  WorkloadBase,
} from "../../src/model/workload.ts";

/** Builders for clusters of a few objects, everything in namespace `ns`: a test names only what it is about. */

const source = { file: "test", line: null };

export const namespace = "ns";

export function int(value: number): IntOrPercent {
  return { percent: false, value };
}

export function percent(value: number): IntOrPercent {
  return { percent: true, value };
}

export function labels(values: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(values));
}

export function selects(values: Readonly<Record<string, string>>): LabelSelector {
  const requirements = Object.entries(values).map(([key, value]) => ({
    key,
    operator: "In" as const,
    values: [value],
  }));
  return { requirements, invalid: false };
}

export function amounts(
  fields: Partial<Omit<Resources, "scalar">>,
  scalar: Readonly<Record<string, number>> = {},
): Resources {
  return { ...noResources, ...fields, scalar: new Map(Object.entries(scalar)) };
}

let templates = 0;

/** A template with the label `app`. */
export function template(app: string, fields: Partial<PodTemplate> = {}): PodTemplate {
  templates += 1;
  return {
    id: templates,
    namespace,
    labels: labels({ app }),
    annotations: new Map(),
    schedulerName: "default-scheduler",
    priority: 0,
    priorityClassName: "",
    statesPodLevel: false,
    preemptionPolicy: "PreemptLowerPriority",
    schedulingGates: [],
    requests: noResources,
    nonZeroMilliCpu: 100,
    scoredMilliCpu: 100,
    scoredMemoryBytes: 200 * 1024 * 1024,
    nonZeroMemoryBytes: 200 * 1024 * 1024,
    limits: noResources,
    tolerations: [],
    nodeSelector: new Map(),
    requiredNodeAffinity: null,
    preferredNodeAffinity: [],
    requiredPodAffinity: [],
    requiredPodAntiAffinity: [],
    preferredPodAffinity: [],
    preferredPodAntiAffinity: [],
    topologySpread: [],
    hostPorts: [],
    volumes: [],
    resourceClaims: [],
    images: [],
    imageVolumes: [],
    initContainerCount: 0,
    containerCount: 1,
    containers: [container({})],
    initContainers: [],
    hostNetwork: false,
    nodeName: "",
    terminationGraceMs: 30_000,
    readinessGates: [],
    restartPolicy: "Always",
    runtimeClassName: "",
    hostname: "",
    subdomain: "",
    osName: "",
    notModelled: [],
    neededFeatures: [],
    ...fields,
  };
}

export function container(fields: Partial<Container>): Container {
  return {
    name: "main",
    image: "image",
    args: [],
    command: [],
    hasReadinessProbe: false,
    hasStartupProbe: false,
    preStopMs: null,
    requests: noResources,
    limits: noResources,
    claims: [],
    sidecar: false,
    ports: [],
    ...fields,
  };
}

/** A pod that runs and is Ready on n1. */
export function pod(name: string, fields: Partial<Pod> = {}): Pod {
  const { template: own = template("web"), requests = noResources } = fields;
  return {
    key: `${namespace}/${name}`,
    namespace,
    name,
    template: own,
    owner: null,
    nodeName: "n1",
    phase: "Running",
    ready: true,
    deleting: false,
    deletionGraceMs: null,
    nominatedNodeName: "",
    requests,
    nonZeroMilliCpu: own.nonZeroMilliCpu + requests.milliCpu - own.requests.milliCpu,
    nonZeroMemoryBytes: own.nonZeroMemoryBytes + requests.memoryBytes - own.requests.memoryBytes,
    restarts: 0,
    createdAtMs: null,
    startedAtMs: null,
    scheduledAtMs: null,
    readyAtMs: null,
    mirror: false,
    preempted: false,
    finalizers: [],
    unschedulableMessage: "",
    claimNames: new Map(),
    ordinal: null,
    revision: "",
    source,
    ...fields,
  };
}

/** `count` Ready pods of a ReplicaSet, `<name>-a`, `-b`, …, on n1, n2, … */
export function podsOf(owner: ReplicaSet, count: number, fields: Partial<Pod> = {}): readonly Pod[] {
  return Array.from({ length: count }, (_, at) =>
    pod(`${owner.ref.name}-${"abcdefghij"[at] ?? at}`, {
      owner: owner.key,
      template: owner.template,
      nodeName: `n${at + 1}`,
      ...fields,
    }),
  );
}

export function node(name: string, fields: Partial<Node> = {}): Node {
  const room = amounts({ milliCpu: 8000, memoryBytes: 32e9 });
  return {
    name,
    labels: labels({ "kubernetes.io/hostname": name }),
    annotations: new Map(),
    taints: [],
    unschedulable: false,
    allocatable: room,
    podsMax: 110,
    capacity: room,
    ready: true,
    conditions: [{ type: "Ready", status: "True", reason: "", message: "" }],
    images: new Map(),
    declaredFeatures: [],
    providerId: "",
    osImage: "",
    kubeletVersion: "v1.36.3",
    createdAtMs: null,
    ...fields,
  };
}

function base(apiVersion: string, kind: string, name: string, fields: Partial<WorkloadBase>): WorkloadBase {
  const ref = { apiVersion, kind, namespace, name };
  return {
    key: objectKey(ref),
    ref,
    labels: new Map(),
    annotations: new Map(),
    owner: null,
    createdAtMs: null,
    source,
    ...fields,
  };
}

export function deployment(name: string, fields: Partial<Deployment> = {}): Deployment {
  return {
    ...base("apps/v1", "Deployment", name, {}),
    kind: "Deployment",
    replicas: 1,
    selector: selects({ app: name }),
    template: template(name),
    strategy: { type: "RollingUpdate", maxSurge: percent(25), maxUnavailable: percent(25) },
    minReadyMs: 0,
    progressDeadlineMs: 600_000,
    paused: false,
    revisionHistoryLimit: 10,
    ...fields,
  };
}

/** The Deployment's ReplicaSet `<name>-<hash>` as its controller would have left it. */
export function replicaSetOf(owner: Deployment, hash: string, fields: Partial<ReplicaSet> = {}): ReplicaSet {
  const { replicas } = owner;
  return replicaSet(`${owner.ref.name}-${hash}`, {
    owner: owner.key,
    replicas,
    template: { ...owner.template, labels: new Map([...owner.template.labels, ["pod-template-hash", hash]]) },
    selector: selects({ app: owner.ref.name, "pod-template-hash": hash }),
    annotations: labels({ "deployment.kubernetes.io/desired-replicas": String(replicas) }),
    minReadyMs: owner.minReadyMs,
    revision: 1,
    ...fields,
  });
}

export function replicaSet(name: string, fields: Partial<ReplicaSet> = {}): ReplicaSet {
  return {
    ...base("apps/v1", "ReplicaSet", name, {}),
    kind: "ReplicaSet",
    replicas: 1,
    selector: selects({ app: name }),
    template: template(name),
    minReadyMs: 0,
    revision: 0,
    ...fields,
  };
}

export function statefulSet(name: string, fields: Partial<StatefulSet> = {}): StatefulSet {
  return {
    ...base("apps/v1", "StatefulSet", name, {}),
    kind: "StatefulSet",
    replicas: 1,
    selector: selects({ app: name }),
    template: template(name),
    serviceName: name,
    ordinalsStart: 0,
    podManagement: "OrderedReady",
    updateStrategy: { type: "RollingUpdate", partition: 0, maxUnavailable: null },
    minReadyMs: 0,
    volumeClaimTemplates: [],
    currentRevision: "r1",
    updateRevision: "r1",
    ...fields,
  };
}

export function daemonSet(name: string, fields: Partial<DaemonSet> = {}): DaemonSet {
  return {
    ...base("apps/v1", "DaemonSet", name, {}),
    kind: "DaemonSet",
    selector: selects({ app: name }),
    template: template(name),
    minReadyMs: 0,
    updateStrategy: { type: "RollingUpdate", maxUnavailable: int(1), maxSurge: int(0) },
    ...fields,
  };
}

export function job(name: string, fields: Partial<Job> = {}): Job {
  return {
    ...base("batch/v1", "Job", name, {}),
    kind: "Job",
    parallelism: 1,
    completions: 1,
    template: template(name, { restartPolicy: "Never" }),
    backoffLimit: 6,
    podReplacementPolicy: "TerminatingOrFailed",
    onDisruption: "count",
    suspend: false,
    finished: false,
    succeeded: 0,
    ...fields,
  };
}

export function leaderWorkerSet(name: string, fields: Partial<LeaderWorkerSet> = {}): LeaderWorkerSet {
  return {
    ...base("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", name, {}),
    kind: "LeaderWorkerSet",
    replicas: 2,
    size: 2,
    leaderTemplate: template(name),
    workerTemplate: template(name),
    restartPolicy: "RecreateGroupOnPodRestart",
    startupPolicy: "LeaderCreated",
    rollout: { maxUnavailable: int(1), maxSurge: int(0), partition: 0 },
    exclusiveTopologyKey: null,
    ...fields,
  };
}

export function otherOwner(
  apiVersion: string,
  kind: string,
  name: string,
  fields: Partial<OtherOwner> = {},
): OtherOwner {
  return { ...base(apiVersion, kind, name, {}), kind: "Other", present: true, scaleReplicas: null, ...fields };
}

export function budget(name: string, fields: Partial<Budget> = {}): Budget {
  const ref = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", namespace, name };
  return {
    key: objectKey(ref),
    ref,
    labels: new Map(),
    annotations: new Map(),
    owner: null,
    selector: selects({ app: "web" }),
    minAvailable: null,
    maxUnavailable: null,
    unhealthyPodEviction: "IfHealthyBudget",
    status: null,
    disruptedPods: new Map(),
    generation: 1,
    source,
    ...fields,
  };
}

export function status(fields: Partial<BudgetStatus>): BudgetStatus {
  return {
    expectedPods: 0,
    desiredHealthy: 0,
    currentHealthy: 0,
    disruptionsAllowed: 0,
    observedGeneration: 1,
    reason: "",
    conditionStatus: "",
    message: "",
    ...fields,
  };
}

export function service(name: string, fields: Partial<Service> = {}): Service {
  return {
    ref: { apiVersion: "v1", kind: "Service", namespace, name },
    labels: new Map(),
    annotations: new Map(),
    selector: labels({ app: name }),
    publishNotReadyAddresses: false,
    headless: false,
    type: "ClusterIP",
    externalTrafficPolicyLocal: false,
    internalTrafficPolicyLocal: false,
    ports: [],
    source,
    ...fields,
  };
}

export function webhook(name: string, fields: Partial<AdmissionWebhook> = {}): AdmissionWebhook {
  return {
    configuration: {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      namespace: "",
      name,
    },
    mutating: false,
    name: `${name}.example.com`,
    failurePolicy: "Fail",
    service: { namespace, name, port: 443 },
    namespaceSelector: null,
    objectSelector: null,
    hasMatchConditions: false,
    onPodCreate: true,
    onPodEviction: false,
    onPodDelete: false,
    onPodBinding: false,
    onWorkloadCreate: false,
    source,
    ...fields,
  };
}

export function quota(name: string, hard: Readonly<Record<string, number>>, fields: Partial<Quota> = {}): Quota {
  return {
    ref: { apiVersion: "v1", kind: "ResourceQuota", namespace, name },
    hard: new Map(Object.entries(hard)),
    used: new Map(),
    scopes: [],
    scopeSelectors: [],
    notModelled: [],
    source,
    ...fields,
  };
}

export function autoscaler(target: ObjectKey, fields: Partial<Autoscaler> = {}): Autoscaler {
  return {
    ref: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", namespace, name: "hpa" },
    labels: new Map(),
    owner: null,
    target,
    minReplicas: 1,
    maxReplicas: 1,
    desiredReplicas: null,
    scalingActive: false,
    onlyUp: false,
    source,
    ...fields,
  };
}

export interface Parts extends Omit<Partial<Cluster>, "workloads" | "others" | "namespaces"> {
  readonly workloads?: readonly Workload[];
  readonly others?: readonly OtherObject[];
  readonly namespaces?: Cluster["namespaces"];
  readonly minor?: Cluster["version"]["minor"];
}

/** Nodes n1, n2 and n3 unless others are given. */
export function cluster(parts: Parts): Cluster {
  return {
    version: { reported: "v1.36.3", minor: parts.minor ?? 36, exact: true },
    namespaces: new Map([[namespace, { name: namespace, labels: new Map(), terminating: false }]]),
    nodes: [node("n1"), node("n2"), node("n3")],
    pods: [],
    templateCount: templates,
    services: [],
    budgets: [],
    autoscalers: [],
    quotas: [],
    limitRanges: [],
    webhooks: [],
    changedOnAdmission: new Map(),
    priorityClasses: new Map(),
    storage: {
      volumes: new Map(),
      claims: new Map(),
      classes: new Map(),
      csiNodes: new Map(),
      csiDrivers: new Map(),
      capacities: [],
      attachments: [],
    },
    devices: { slices: [], classes: new Map(), claims: new Map(), claimTemplates: new Map(), taintRules: [] },
    problems: [],
    notSeen: [],
    secretsDropped: 0,
    ...parts,
    workloads: new Map((parts.workloads ?? []).map((workload) => [workload.key, workload])),
    others: new Map((parts.others ?? []).map((other) => [other.key, other])),
  };
}
