import type { Problem } from "../base/problem.ts";
import type { Fields } from "../wire/fields.ts";
import { ReadBefore } from "../wire/read-before.ts";
import type { ContainerDefaults, RuntimeClass } from "./admission.ts";
import type { Namespace } from "./cluster.ts";
import type { DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from "./device.ts";
import type { ObjectKey } from "./key.ts";
import type { Node } from "./node.ts";
import { parseAutoscaler } from "./parse-autoscaler.ts";
import { parseBudget, type UnownedBudget } from "./parse-budget.ts";
import { parseDaemonSet } from "./parse-daemon-set.ts";
import { parseDeployment } from "./parse-deployment.ts";
import { parseJob } from "./parse-job.ts";
import { parseLeaderWorkerSet } from "./parse-leader-worker-set.ts";
import { parseLimitRange } from "./parse-limit-range.ts";
import type { Meta, OwnerReference } from "./parse-meta.ts";
import { NodeParts, parseNode } from "./parse-node.ts";
import { leftOutKinds, parseOther, parseScalePath, type UnownedOther } from "./parse-other.ts";
import { type PodDraft, parsePod } from "./parse-pod.ts";
import { parsePriorityClass, parseRuntimeClass } from "./parse-priority-class.ts";
import { parseQuota } from "./parse-quota.ts";
import { parseReplicaSet, parseReplicationController } from "./parse-replica-set.ts";
import {
  parseDeviceClass,
  parseDeviceTaintRule,
  parseResourceClaim,
  parseResourceClaimTemplate,
} from "./parse-resource-claim.ts";
import { parseResourceSlice } from "./parse-resource-slice.ts";
import { parseService } from "./parse-service.ts";
import { parseStatefulSet } from "./parse-stateful-set.ts";
import {
  parseAttachment,
  parseCsiDriver,
  parseCsiNode,
  parseCsiStorageCapacity,
  parseStorageClass,
  parseVolume,
  parseVolumeClaim,
} from "./parse-storage.ts";
import { parseWebhooks } from "./parse-webhook.ts";
import { PodRows } from "./pod-rows.ts";
import type { AdmissionWebhook, Autoscaler, LimitRange, PriorityClass, Quota, Service } from "./policy.ts";
import { QuantityReader } from "./quantity.ts";
import type {
  CsiDriver,
  CsiNode,
  CsiStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  Storage,
  StorageClass,
} from "./storage.ts";
import { TemplatePool } from "./template-pool.ts";
import type { Deployment } from "./workload.ts";
import type { WorkloadDraft } from "./workload-draft.ts";

/** An object whose owner is not resolved yet. */
export interface Owned<T> {
  readonly value: T;
  readonly owner: OwnerReference | null;
}

/**
 * What one pass over a snapshot collects, by object key: an object that comes twice replaces its first form in place.
 * Lives only while a cluster is built.
 */
export class Gathering {
  readonly quantities = new QuantityReader();
  readonly pool = new TemplatePool(this.quantities);
  readonly problems: Problem[] = [];
  readonly nodeParts = new NodeParts();
  /** Deployments have one of few. */
  readonly strategies = new ReadBefore<Deployment["strategy"]>(1 << 12, 1 << 5);
  readonly nodes = new Map<ObjectKey, Node>();
  readonly namespaces = new Map<ObjectKey, Namespace>();
  readonly pods = new PodRows(this.pool.templates);
  readonly workloads = new Map<ObjectKey, WorkloadDraft>();
  readonly services = new Map<ObjectKey, Service>();
  readonly budgets = new Map<ObjectKey, Owned<UnownedBudget>>();
  readonly autoscalers = new Map<ObjectKey, Owned<Omit<Autoscaler, "owner">>>();
  readonly quotas = new Map<ObjectKey, Quota>();
  readonly limitRanges = new Map<ObjectKey, { readonly range: LimitRange; readonly defaults: ContainerDefaults }>();
  readonly webhooks = new Map<ObjectKey, readonly AdmissionWebhook[]>();
  readonly priorityClasses = new Map<ObjectKey, PriorityClass>();
  readonly runtimeClasses = new Map<string, RuntimeClass>();
  readonly volumes = new Map<ObjectKey, PersistentVolume>();
  readonly volumeClaims = new Map<ObjectKey, PersistentVolumeClaim>();
  readonly storageClasses = new Map<ObjectKey, StorageClass>();
  readonly csiNodes = new Map<ObjectKey, CsiNode>();
  readonly csiDrivers = new Map<ObjectKey, CsiDriver>();
  readonly capacities = new Map<ObjectKey, CsiStorageCapacity>();
  readonly attachments = new Map<ObjectKey, Storage["attachments"][number]>();
  readonly slices = new Map<ObjectKey, ResourceSlice>();
  readonly deviceClasses = new Map<ObjectKey, DeviceClass>();
  readonly resourceClaims = new Map<ObjectKey, ResourceClaim>();
  readonly claimTemplates = new Map<ObjectKey, ResourceClaimTemplate>();
  readonly taintRules = new Map<ObjectKey, DeviceTaintRule>();
  readonly others = new Map<ObjectKey, Owned<UnownedOther>>();
  readonly scalePaths = new Map<string, string>();
  /** Namespaces whose workloads say in their status that pods of theirs are there. */
  readonly running = new Set<string>();

  /** Reads a pod into its place. */
  addPod(fields: Fields, meta: Meta): PodDraft {
    const pod = parsePod(fields, meta, this.pool, this.quantities);
    this.pods.add(pod);
    return pod;
  }

  /** Reads a workload into its place; `countedAs` is the field of its status that counts its pods. */
  addWorkload(workload: WorkloadDraft, fields: Fields, meta: Meta, countedAs: string): void {
    this.workloads.set(meta.key, workload);
    const { namespace } = meta.ref;
    if (this.running.has(namespace)) return;
    const count = fields.object("status").raw(countedAs);
    if (typeof count === "number" && count > 0) this.running.add(namespace);
  }

  /** Reads any other object into its place. */
  add(fields: Fields, meta: Meta): void {
    const parser = parsers.get(meta.kindKey);
    if (parser !== undefined) parser(this, fields, meta);
    else if (!leftOutKinds.has(meta.kindKey))
      this.others.set(meta.key, { value: parseOther(fields, meta), owner: meta.owner });
  }
}

type Parser = (into: Gathering, fields: Fields, meta: Meta) => void;

/** Kind.group → how it is read. Old groups of a kind stand beside the present one. */
const parsers: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ["Node.", (into, fields, meta) => into.nodes.set(meta.key, parseNode(fields, meta, into.quantities, into.nodeParts))],
  ["Namespace.", (into, fields, meta) => into.namespaces.set(meta.key, parseNamespace(fields, meta))],
  [
    "Deployment.apps",
    (into, fields, meta) =>
      into.addWorkload(parseDeployment(fields, meta, into.pool, into.strategies), fields, meta, "replicas"),
  ],
  [
    "ReplicaSet.apps",
    (into, fields, meta) => into.addWorkload(parseReplicaSet(fields, meta, into.pool), fields, meta, "replicas"),
  ],
  [
    "ReplicationController.",
    (into, fields, meta) => into.workloads.set(meta.key, parseReplicationController(fields, meta, into.pool)),
  ],
  [
    "StatefulSet.apps",
    (into, fields, meta) =>
      into.addWorkload(parseStatefulSet(fields, meta, into.pool, into.quantities), fields, meta, "replicas"),
  ],
  [
    "DaemonSet.apps",
    (into, fields, meta) =>
      into.addWorkload(parseDaemonSet(fields, meta, into.pool), fields, meta, "currentNumberScheduled"),
  ],
  ["Job.batch", (into, fields, meta) => into.workloads.set(meta.key, parseJob(fields, meta, into.pool))],
  [
    "LeaderWorkerSet.leaderworkerset.x-k8s.io",
    (into, fields, meta) => into.workloads.set(meta.key, parseLeaderWorkerSet(fields, meta, into.pool)),
  ],
  ["Service.", (into, fields, meta) => into.services.set(meta.key, parseService(fields, meta))],
  [
    "PodDisruptionBudget.policy",
    (into, fields, meta) => into.budgets.set(meta.key, { value: parseBudget(fields, meta), owner: meta.owner }),
  ],
  [
    "HorizontalPodAutoscaler.autoscaling",
    (into, fields, meta) => into.autoscalers.set(meta.key, { value: parseAutoscaler(fields, meta), owner: meta.owner }),
  ],
  ["ResourceQuota.", (into, fields, meta) => into.quotas.set(meta.key, parseQuota(fields, meta, into.quantities))],
  [
    "LimitRange.",
    (into, fields, meta) => into.limitRanges.set(meta.key, parseLimitRange(fields, meta, into.quantities)),
  ],
  [
    "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
    (into, fields, meta) => into.webhooks.set(meta.key, parseWebhooks(fields, meta)),
  ],
  [
    "MutatingWebhookConfiguration.admissionregistration.k8s.io",
    (into, fields, meta) => into.webhooks.set(meta.key, parseWebhooks(fields, meta)),
  ],
  [
    "PriorityClass.scheduling.k8s.io",
    (into, fields, meta) => into.priorityClasses.set(meta.key, parsePriorityClass(fields, meta)),
  ],
  [
    "RuntimeClass.node.k8s.io",
    (into, fields, meta) => into.runtimeClasses.set(meta.ref.name, parseRuntimeClass(fields, into.quantities)),
  ],
  ["PersistentVolume.", (into, fields, meta) => into.volumes.set(meta.key, parseVolume(fields, meta, into.quantities))],
  [
    "PersistentVolumeClaim.",
    (into, fields, meta) => into.volumeClaims.set(meta.key, parseVolumeClaim(fields, meta, into.quantities)),
  ],
  [
    "StorageClass.storage.k8s.io",
    (into, fields, meta) => into.storageClasses.set(meta.key, parseStorageClass(fields, meta)),
  ],
  ["CSINode.storage.k8s.io", (into, fields, meta) => into.csiNodes.set(meta.key, parseCsiNode(fields, meta))],
  ["CSIDriver.storage.k8s.io", (into, fields, meta) => into.csiDrivers.set(meta.key, parseCsiDriver(fields, meta))],
  [
    "CSIStorageCapacity.storage.k8s.io",
    (into, fields, meta) => into.capacities.set(meta.key, parseCsiStorageCapacity(fields, meta, into.quantities)),
  ],
  ["VolumeAttachment.storage.k8s.io", (into, fields, meta) => into.attachments.set(meta.key, parseAttachment(fields))],
  [
    "ResourceSlice.resource.k8s.io",
    (into, fields, meta) => into.slices.set(meta.key, parseResourceSlice(fields, meta, into.quantities)),
  ],
  [
    "ResourceClaim.resource.k8s.io",
    (into, fields, meta) => into.resourceClaims.set(meta.key, parseResourceClaim(fields, meta, into.quantities)),
  ],
  [
    "ResourceClaimTemplate.resource.k8s.io",
    (into, fields, meta) =>
      into.claimTemplates.set(meta.key, parseResourceClaimTemplate(fields, meta, into.quantities)),
  ],
  [
    "DeviceClass.resource.k8s.io",
    (into, fields, meta) => into.deviceClasses.set(meta.key, parseDeviceClass(fields, meta)),
  ],
  [
    "DeviceTaintRule.resource.k8s.io",
    (into, fields, meta) => into.taintRules.set(meta.key, parseDeviceTaintRule(fields, meta)),
  ],
  [
    "CustomResourceDefinition.apiextensions.k8s.io",
    (into, fields, meta) => {
      const scale = parseScalePath(fields);
      if (scale !== null) into.scalePaths.set(scale.kind, scale.path);
      into.others.set(meta.key, { value: parseOther(fields, meta), owner: meta.owner });
    },
  ],
]);

/** Every namespace carries its own name as a label, whether written or not. */
function parseNamespace(fields: Fields, meta: Meta): Namespace {
  const name = meta.ref.name;
  return {
    name,
    labels: new Map([...meta.labels, ["kubernetes.io/metadata.name", name]]),
    terminating: meta.deleting || fields.object("status").text("phase") === "Terminating",
  };
}
