import type { Problem, Source } from "../base/problem.ts";
import type { JsonObject } from "../wire/snapshot.ts";
import type { Devices } from "./device.ts";
import type { ObjectKey, ObjectRef } from "./key.ts";
import type { Labels } from "./labels.ts";
import type { Node } from "./node.ts";
import type { Pod } from "./pod.ts";
import type { PodTemplate } from "./pod-template.ts";
import type { AdmissionWebhook, Autoscaler, Budget, LimitRange, PriorityClass, Quota, Service } from "./policy.ts";
import type { Storage } from "./storage.ts";
import type { Workload } from "./workload.ts";

/** Versions modelled: 1.34 to 1.37. */
export type Minor = 34 | 35 | 36 | 37;

export interface ModelVersion {
  /** As the server or its kubelets say it (`v1.36.3`); "" when nothing says. */
  readonly reported: string;
  readonly minor: Minor;
  /** False: the cluster runs another version than the one modelled, or does not say. */
  readonly exact: boolean;
}

/** An object the model has no type for, kept whole because serving systems are read from it (Gateways, InferencePools, owners). */
export interface OtherObject {
  readonly ref: ObjectRef;
  readonly key: ObjectKey;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly owner: ObjectKey | null;
  /** The wire object: plain JSON data. */
  readonly body: JsonObject;
  readonly source: Source;
}

export interface Namespace {
  readonly name: string;
  readonly labels: Labels;
  readonly terminating: boolean;
}

/** What becomes of the templates of workloads, by their keys, where that is more than they say. */
export type ChangedOnAdmission = ReadonlyMap<ObjectKey, LearntChanges>;

export interface LearntChanges {
  /** Of its template, or a LeaderWorkerSet's for leaders. */
  readonly template: LearntChange | null;
  readonly workerTemplate: LearntChange | null;
}

/** A template as its owner says it, and what the newest pod made of it has become. */
export interface LearntChange {
  readonly base: PodTemplate;
  readonly became: PodTemplate;
  /** Pods of a StatefulSet: what each has may be its own. */
  readonly isOfSet: boolean;
}

/** The immutable cluster: read once, owners resolved. Lists are in input order, which is the API server's order. */
export interface Cluster {
  readonly version: ModelVersion;
  readonly namespaces: ReadonlyMap<string, Namespace>;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** How many distinct pod templates pods and workloads have: their ids are below it. */
  readonly templateCount: number;
  /** Their templates are what their next pods will be, once they are admitted. */
  readonly workloads: ReadonlyMap<ObjectKey, Workload>;
  readonly changedOnAdmission: ChangedOnAdmission;
  readonly services: readonly Service[];
  readonly budgets: readonly Budget[];
  readonly autoscalers: readonly Autoscaler[];
  readonly quotas: readonly Quota[];
  readonly limitRanges: readonly LimitRange[];
  readonly webhooks: readonly AdmissionWebhook[];
  readonly priorityClasses: ReadonlyMap<string, PriorityClass>;
  readonly storage: Storage;
  readonly devices: Devices;
  readonly others: ReadonlyMap<ObjectKey, OtherObject>;
  readonly problems: readonly Problem[];
  /** Resources that were not permitted or not in the input, and why. */
  readonly notSeen: readonly { readonly resource: string; readonly why: string }[];
  readonly secretsDropped: number;
}
