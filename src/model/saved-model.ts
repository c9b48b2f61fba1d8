import type { Problem } from "../base/problem.ts";
import {
  type Codec,
  CodecReader,
  CodecWriter,
  type FieldCodecs,
  fields,
  file,
  flag,
  json,
  lateMap,
  list,
  map,
  nullable,
  number,
  oneOf,
  text,
  union,
} from "../wire/codec.ts";
import { isJsonObject } from "../wire/fields.ts";
import type { JsonObject, Written } from "../wire/snapshot.ts";
import type { Cluster, LearntChange, LearntChanges, ModelVersion, Namespace, OtherObject } from "./cluster.ts";
import type { Node, NodeCondition } from "./node.ts";
import type {
  AdmissionWebhook,
  Autoscaler,
  Budget,
  BudgetStatus,
  LimitRange,
  PriorityClass,
  Quota,
  ScopeSelector,
  Service,
} from "./policy.ts";
import { devices, objectRef, source, storage } from "./saved-parts.ts";
import { pods } from "./saved-pods.ts";
import { amounts, labels, resources, selector, taint, template, texts } from "./saved-template.ts";
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
} from "./workload.ts";

/** The cluster in few bytes. Files of this name in it are the one it is kept in. */
export function writtenCluster(made: Cluster, file: string): Written {
  const writer = new CodecWriter(file);
  writer.record(() => cluster.write(writer, made));
  return writer.written;
}

/** The cluster that was written; null: this is not one. */
export function readCluster(written: Written, file: string): Cluster | null {
  return new CodecReader(file, written).whole(cluster);
}

const node = fields<Node>({
  name: text,
  labels,
  annotations: labels,
  taints: list(taint),
  unschedulable: flag,
  allocatable: resources,
  podsMax: number,
  capacity: resources,
  ready: flag,
  conditions: list(fields<NodeCondition>({ type: text, status: text, reason: text, message: text })),
  images: amounts,
  declaredFeatures: texts,
  providerId: text,
  osImage: text,
  kubeletVersion: text,
  createdAtMs: nullable(number),
});

const intOrPercent = union<IntOrPercent, "percent">("percent", {
  false: fields<Extract<IntOrPercent, { percent: false }>>({ percent: isFalse(), value: number }),
  true: fields<Extract<IntOrPercent, { percent: true }>>({ percent: isTrue(), value: number }),
});

function isFalse(): Codec<false> {
  return { write: () => {}, read: () => false };
}

function isTrue(): Codec<true> {
  return { write: () => {}, read: () => true };
}

const base: FieldCodecs<WorkloadBase> = {
  key: text,
  ref: objectRef,
  labels,
  annotations: labels,
  owner: nullable(text),
  createdAtMs: nullable(number),
  source,
};

type Strategy = Deployment["strategy"];
type SetUpdate = StatefulSet["updateStrategy"];
type DaemonUpdate = DaemonSet["updateStrategy"];

const deployment = fields<Deployment>({
  ...base,
  kind: oneOf("Deployment"),
  replicas: number,
  selector,
  strategy: union<Strategy, "type">("type", {
    Recreate: fields<Extract<Strategy, { type: "Recreate" }>>({ type: oneOf("Recreate") }),
    RollingUpdate: fields<Extract<Strategy, { type: "RollingUpdate" }>>({
      type: oneOf("RollingUpdate"),
      maxSurge: intOrPercent,
      maxUnavailable: intOrPercent,
    }),
  }),
  minReadyMs: number,
  progressDeadlineMs: number,
  paused: flag,
  revisionHistoryLimit: number,
  template,
});

const replicaSet = fields<ReplicaSet>({
  ...base,
  kind: oneOf("ReplicaSet", "ReplicationController"),
  replicas: number,
  selector,
  minReadyMs: number,
  revision: number,
  template,
});

const statefulSet = fields<StatefulSet>({
  ...base,
  kind: oneOf("StatefulSet"),
  replicas: number,
  selector,
  template,
  serviceName: text,
  ordinalsStart: number,
  podManagement: oneOf("OrderedReady", "Parallel"),
  updateStrategy: union<SetUpdate, "type">("type", {
    OnDelete: fields<Extract<SetUpdate, { type: "OnDelete" }>>({ type: oneOf("OnDelete") }),
    RollingUpdate: fields<Extract<SetUpdate, { type: "RollingUpdate" }>>({
      type: oneOf("RollingUpdate"),
      partition: number,
      maxUnavailable: nullable(intOrPercent),
    }),
  }),
  minReadyMs: number,
  volumeClaimTemplates: list(
    fields<StatefulSet["volumeClaimTemplates"][number]>({
      name: text,
      storageClassName: nullable(text),
      requestBytes: number,
      accessModes: texts,
    }),
  ),
  currentRevision: text,
  updateRevision: text,
});

const daemonSet = fields<DaemonSet>({
  ...base,
  kind: oneOf("DaemonSet"),
  selector,
  template,
  minReadyMs: number,
  updateStrategy: union<DaemonUpdate, "type">("type", {
    OnDelete: fields<Extract<DaemonUpdate, { type: "OnDelete" }>>({ type: oneOf("OnDelete") }),
    RollingUpdate: fields<Extract<DaemonUpdate, { type: "RollingUpdate" }>>({
      type: oneOf("RollingUpdate"),
      maxUnavailable: intOrPercent,
      maxSurge: intOrPercent,
    }),
  }),
});

const job = fields<Job>({
  ...base,
  kind: oneOf("Job"),
  parallelism: number,
  completions: nullable(number),
  template,
  backoffLimit: number,
  podReplacementPolicy: oneOf("TerminatingOrFailed", "Failed"),
  onDisruption: oneOf("count", "ignore", "fail-job"),
  suspend: flag,
  finished: flag,
  succeeded: number,
});

const leaderWorkerSet = fields<LeaderWorkerSet>({
  ...base,
  kind: oneOf("LeaderWorkerSet"),
  replicas: number,
  size: number,
  leaderTemplate: template,
  workerTemplate: template,
  restartPolicy: oneOf("RecreateGroupOnPodRestart", "RecreateGroupAfterStart", "None"),
  startupPolicy: oneOf("LeaderCreated", "LeaderReady"),
  rollout: fields<LeaderWorkerSet["rollout"]>({
    maxUnavailable: intOrPercent,
    maxSurge: intOrPercent,
    partition: number,
  }),
  exclusiveTopologyKey: nullable(text),
});

const otherOwner = fields<OtherOwner>({
  ...base,
  kind: oneOf("Other"),
  present: flag,
  scaleReplicas: nullable(number),
});

const workload = union<Workload, "kind">("kind", {
  Deployment: deployment,
  ReplicaSet: replicaSet,
  ReplicationController: replicaSet,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  Job: job,
  LeaderWorkerSet: leaderWorkerSet,
  Other: otherOwner,
});

const service = fields<Service>({
  ref: objectRef,
  labels,
  annotations: labels,
  selector: nullable(labels),
  publishNotReadyAddresses: flag,
  headless: flag,
  type: text,
  externalTrafficPolicyLocal: flag,
  internalTrafficPolicyLocal: flag,
  ports: list(fields<Service["ports"][number]>({ name: text, port: number, targetPort: text, protocol: text })),
  source,
});

export const budgetStatus: Codec<BudgetStatus> = fields<BudgetStatus>({
  expectedPods: number,
  desiredHealthy: number,
  currentHealthy: number,
  disruptionsAllowed: number,
  observedGeneration: number,
  reason: text,
  conditionStatus: text,
  message: text,
});

const budget = fields<Budget>({
  key: text,
  ref: objectRef,
  labels,
  annotations: labels,
  owner: nullable(text),
  selector: nullable(selector),
  minAvailable: nullable(intOrPercent),
  maxUnavailable: nullable(intOrPercent),
  unhealthyPodEviction: oneOf("IfHealthyBudget", "AlwaysAllow"),
  status: nullable(budgetStatus),
  disruptedPods: map(nullable(number)),
  generation: number,
  source,
});

const autoscaler = fields<Autoscaler>({
  ref: objectRef,
  labels,
  owner: nullable(text),
  target: text,
  minReplicas: number,
  maxReplicas: number,
  desiredReplicas: nullable(number),
  scalingActive: flag,
  onlyUp: flag,
  source,
});

const quota = fields<Quota>({
  ref: objectRef,
  hard: amounts,
  used: amounts,
  scopes: texts,
  scopeSelectors: list(
    fields<ScopeSelector>({ scope: text, operator: oneOf("In", "NotIn", "Exists", "DoesNotExist"), values: texts }),
  ),
  notModelled: texts,
  source,
});

const limitRange = fields<LimitRange>({
  ref: objectRef,
  source,
  defaultRequests: amounts,
  defaultLimits: amounts,
  bounds: list(fields<LimitRange["bounds"][number]>({ of: oneOf("Container", "Pod"), min: amounts, max: amounts })),
});

const webhook = fields<AdmissionWebhook>({
  configuration: objectRef,
  mutating: flag,
  name: text,
  failurePolicy: oneOf("Fail", "Ignore"),
  service: nullable(fields<NonNullable<AdmissionWebhook["service"]>>({ namespace: text, name: text, port: number })),
  namespaceSelector: nullable(selector),
  objectSelector: nullable(selector),
  hasMatchConditions: flag,
  onPodCreate: flag,
  onPodEviction: flag,
  onPodDelete: flag,
  onPodBinding: flag,
  onWorkloadCreate: flag,
  source,
});

const priorityClass = fields<PriorityClass>({
  name: text,
  value: number,
  globalDefault: flag,
  preemptionPolicy: oneOf("PreemptLowerPriority", "Never"),
});

const body: Codec<JsonObject> = {
  write: (to, value) => json.write(to, value),
  read(from) {
    const value = json.read(from);
    if (isJsonObject(value)) return value;
    from.fault = true;
    return {};
  },
};

const other = fields<OtherObject>({
  ref: objectRef,
  key: text,
  labels,
  annotations: labels,
  owner: nullable(text),
  body,
  source,
});

const problem = fields<Problem>({ file, line: nullable(number), path: text, message: text });

const learntChange = nullable(fields<LearntChange>({ base: template, became: template, isOfSet: flag }));

const cluster = fields<Cluster>({
  version: fields<ModelVersion>({ reported: text, minor: oneOf(34, 35, 36, 37), exact: flag }),
  namespaces: map(fields<Namespace>({ name: text, labels, terminating: flag })),
  nodes: list(node),
  pods,
  templateCount: number,
  workloads: lateMap(workload),
  changedOnAdmission: lateMap(fields<LearntChanges>({ template: learntChange, workerTemplate: learntChange })),
  services: list(service),
  budgets: list(budget),
  autoscalers: list(autoscaler),
  quotas: list(quota),
  limitRanges: list(limitRange),
  webhooks: list(webhook),
  priorityClasses: map(priorityClass),
  storage,
  devices,
  others: lateMap(other),
  problems: list(problem),
  notSeen: list(fields<Cluster["notSeen"][number]>({ resource: text, why: text })),
  secretsDropped: number,
});
