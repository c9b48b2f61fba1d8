import type { Source } from "../base/problem.ts";
import type { ObjectKey, ObjectRef } from "./key.ts";
import type { LabelSelector, Labels } from "./labels.ts";
import type { PodTemplate } from "./pod-template.ts";

/** A number or a percentage, as maxUnavailable and minAvailable are written. */
export type IntOrPercent =
  | { readonly percent: false; readonly value: number }
  | { readonly percent: true; readonly value: number };

/** What all controllers' objects share. `key` is unique in the cluster. */
export interface WorkloadBase {
  readonly key: ObjectKey;
  readonly ref: ObjectRef;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** The controlling owner, resolved or not; null: nobody owns it. */
  readonly owner: ObjectKey | null;
  readonly createdAtMs: number | null;
  readonly source: Source;
}

export interface Deployment extends WorkloadBase {
  readonly kind: "Deployment";
  readonly replicas: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
  readonly strategy:
    | { readonly type: "Recreate" }
    | { readonly type: "RollingUpdate"; readonly maxSurge: IntOrPercent; readonly maxUnavailable: IntOrPercent };
  readonly minReadyMs: number;
  readonly progressDeadlineMs: number;
  readonly paused: boolean;
  readonly revisionHistoryLimit: number;
}

/** ReplicaSet or ReplicationController. */
export interface ReplicaSet extends WorkloadBase {
  readonly kind: "ReplicaSet" | "ReplicationController";
  readonly replicas: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
  readonly minReadyMs: number;
  /** annotation deployment.kubernetes.io/revision; 0: none. */
  readonly revision: number;
}

export interface StatefulSet extends WorkloadBase {
  readonly kind: "StatefulSet";
  readonly replicas: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
  readonly serviceName: string;
  readonly ordinalsStart: number;
  readonly podManagement: "OrderedReady" | "Parallel";
  readonly updateStrategy:
    | { readonly type: "OnDelete" }
    | { readonly type: "RollingUpdate"; readonly partition: number; readonly maxUnavailable: IntOrPercent | null };
  readonly minReadyMs: number;
  readonly volumeClaimTemplates: readonly {
    readonly name: string;
    readonly storageClassName: string | null;
    readonly requestBytes: number;
    readonly accessModes: readonly string[];
  }[];
  /** status.currentRevision / updateRevision, "" when not stated. */
  readonly currentRevision: string;
  readonly updateRevision: string;
}

export interface DaemonSet extends WorkloadBase {
  readonly kind: "DaemonSet";
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
  readonly minReadyMs: number;
  readonly updateStrategy:
    | { readonly type: "OnDelete" }
    | { readonly type: "RollingUpdate"; readonly maxUnavailable: IntOrPercent; readonly maxSurge: IntOrPercent };
}

export interface Job extends WorkloadBase {
  readonly kind: "Job";
  readonly parallelism: number;
  readonly completions: number | null;
  readonly template: PodTemplate;
  readonly backoffLimit: number;
  readonly podReplacementPolicy: "TerminatingOrFailed" | "Failed";
  /** What podFailurePolicy says of pods with DisruptionTarget: they count towards backoffLimit, do not, or end the Job. */
  readonly onDisruption: "count" | "ignore" | "fail-job";
  readonly suspend: boolean;
  readonly finished: boolean;
  readonly succeeded: number;
}

/** leaderworkerset.x-k8s.io. The StatefulSets it owns are workloads of their own. */
export interface LeaderWorkerSet extends WorkloadBase {
  readonly kind: "LeaderWorkerSet";
  /** Groups. */
  readonly replicas: number;
  /** Pods a group, leader included. */
  readonly size: number;
  readonly leaderTemplate: PodTemplate;
  readonly workerTemplate: PodTemplate;
  readonly restartPolicy: "RecreateGroupOnPodRestart" | "RecreateGroupAfterStart" | "None";
  readonly startupPolicy: "LeaderCreated" | "LeaderReady";
  readonly rollout: {
    readonly maxUnavailable: IntOrPercent;
    readonly maxSurge: IntOrPercent;
    readonly partition: number;
  };
  readonly exclusiveTopologyKey: string | null;
}

/** An owner of pods or workloads that is not modelled: a custom resource, or one that was not read. */
export interface OtherOwner extends WorkloadBase {
  readonly kind: "Other";
  /** False: pods name it as owner but the object is not in the input. */
  readonly present: boolean;
  /** spec.replicas, when the kind has a scale subresource (known kinds, or a CRD in the input that says so); null: no scale. */
  readonly scaleReplicas: number | null;
}

export type Workload = Deployment | ReplicaSet | StatefulSet | DaemonSet | Job | LeaderWorkerSet | OtherOwner;
