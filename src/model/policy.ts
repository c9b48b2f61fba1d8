import type { Source } from "../base/problem.ts";
import type { ObjectKey, ObjectRef } from "./key.ts";
import type { LabelSelector, Labels } from "./labels.ts";
import type { IntOrPercent } from "./workload.ts";

/** A PodDisruptionBudget. At most one of minAvailable and maxUnavailable is set. */
export interface Budget {
  readonly key: ObjectKey;
  readonly ref: ObjectRef;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly owner: ObjectKey | null;
  /** Null or invalid selects nothing; empty selects all pods of the namespace. */
  readonly selector: LabelSelector | null;
  readonly minAvailable: IntOrPercent | null;
  readonly maxUnavailable: IntOrPercent | null;
  readonly unhealthyPodEviction: "IfHealthyBudget" | "AlwaysAllow";
  /** Status as read; null when the input has none (manifests): then it is computed. */
  readonly status: BudgetStatus | null;
  /** status.disruptedPods: pod name → when its eviction was accepted (Unix ms; null: unreadable). Usually empty. */
  readonly disruptedPods: ReadonlyMap<string, number | null>;
  /** metadata.generation; 0 when not stated. */
  readonly generation: number;
  readonly source: Source;
}

export interface BudgetStatus {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  readonly currentHealthy: number;
  readonly disruptionsAllowed: number;
  readonly observedGeneration: number;
  /** Reason of condition DisruptionAllowed; "" when absent. */
  readonly reason: string;
  readonly conditionStatus: string;
  readonly message: string;
}

export interface Service {
  readonly ref: ObjectRef;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** Null: no selector; endpoints come from elsewhere. */
  readonly selector: Labels | null;
  readonly publishNotReadyAddresses: boolean;
  readonly headless: boolean;
  readonly type: string;
  readonly externalTrafficPolicyLocal: boolean;
  readonly internalTrafficPolicyLocal: boolean;
  readonly ports: readonly {
    readonly name: string;
    readonly port: number;
    readonly targetPort: string;
    readonly protocol: string;
  }[];
  readonly source: Source;
}

export interface Autoscaler {
  readonly ref: ObjectRef;
  readonly labels: Labels;
  readonly owner: ObjectKey | null;
  readonly target: ObjectKey;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** status.desiredReplicas; null when not stated. */
  readonly desiredReplicas: number | null;
  /** Condition ScalingActive is True: metrics are there and the recommendation may move. */
  readonly scalingActive: boolean;
  /** behavior.scaleDown.selectPolicy is Disabled: within its bounds it takes no replica away. */
  readonly onlyUp: boolean;
  readonly source: Source;
}

export interface Quota {
  readonly ref: ObjectRef;
  /** Resource name as written (`requests.nvidia.com/gpu`, `pods`, `limits.cpu`) → amount (milli for CPU, whole units else). */
  readonly hard: ReadonlyMap<string, number>;
  /** status.used as read; used for what the model does not count itself. */
  readonly used: ReadonlyMap<string, number>;
  readonly scopes: readonly string[];
  /** spec.scopeSelector, but for scopes the model does not know. All must match. */
  readonly scopeSelectors: readonly ScopeSelector[];
  /** scopeSelector or scopes present that the model does not know. */
  readonly notModelled: readonly string[];
  readonly source: Source;
}

export interface ScopeSelector {
  readonly scope: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

export interface LimitRange {
  readonly ref: ObjectRef;
  readonly source: Source;
  /** Container defaults, by resource name, as quantities already parsed. */
  readonly defaultRequests: ReadonlyMap<string, number>;
  readonly defaultLimits: ReadonlyMap<string, number>;
  /** What a container, or a pod as a whole, may ask for; amounts as in Quota.hard. */
  readonly bounds: readonly SizeBounds[];
}

export interface SizeBounds {
  readonly of: "Container" | "Pod";
  readonly min: ReadonlyMap<string, number>;
  readonly max: ReadonlyMap<string, number>;
}

/** One webhook of a Validating- or MutatingWebhookConfiguration that may see pods or evictions. */
export interface AdmissionWebhook {
  readonly configuration: ObjectRef;
  readonly mutating: boolean;
  readonly name: string;
  readonly failurePolicy: "Fail" | "Ignore";
  /** Null: called by URL, outside what is modelled. */
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number } | null;
  readonly namespaceSelector: LabelSelector | null;
  readonly objectSelector: LabelSelector | null;
  /** matchConditions are CEL: present means it may or may not apply. */
  readonly hasMatchConditions: boolean;
  readonly onPodCreate: boolean;
  readonly onPodEviction: boolean;
  readonly onPodDelete: boolean;
  readonly onPodBinding: boolean;
  readonly onWorkloadCreate: boolean;
  readonly source: Source;
}

export interface PriorityClass {
  readonly name: string;
  readonly value: number;
  readonly globalDefault: boolean;
  readonly preemptionPolicy: "PreemptLowerPriority" | "Never";
}
