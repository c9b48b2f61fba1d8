import type { LabelSelector, Labels, Requirement } from "./labels.ts";
import type { Resources } from "./resources.ts";

/**
 * Everything about a pod that its spec and labels decide, and nothing that changes while it lives. Pods that are alike
 * share one object: compare by identity, cache by `id`. Defaults of the API server and of its admission plugins
 * (priority, default tolerations, limit ranges, runtime class overhead) are filled in.
 */
export interface PodTemplate {
  /** Dense number, unique per content within one Cluster. */
  readonly id: number;
  readonly namespace: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly schedulerName: string;
  readonly priority: number;
  /** "": no class, and none by default. */
  readonly priorityClassName: string;
  readonly preemptionPolicy: "PreemptLowerPriority" | "Never";
  readonly schedulingGates: readonly string[];
  /** What the scheduler counts: containers, init containers, sidecars, pod-level resources, overhead. */
  readonly requests: Resources;
  /** As requests, with the scheduler's defaults (100m, 200 MB) for containers that state none: scores only. */
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemoryBytes: number;
  /**
   * As nonZero, but without pod-level resources: so much the least-allocated score counts for the pod it places, while the
   * node counts the former once the pod is there (an oversight upstream, 1.34 to 1.37).
   */
  readonly scoredMilliCpu: number;
  readonly scoredMemoryBytes: number;
  /** Sums of limits (quota). */
  readonly limits: Resources;
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector: Labels;
  /** Null: no required node affinity. Terms are ORed; an empty list matches no node. */
  readonly requiredNodeAffinity: readonly NodeSelectorTerm[] | null;
  readonly preferredNodeAffinity: readonly { readonly weight: number; readonly term: NodeSelectorTerm }[];
  readonly requiredPodAffinity: readonly PodAffinityTerm[];
  readonly requiredPodAntiAffinity: readonly PodAffinityTerm[];
  readonly preferredPodAffinity: readonly { readonly weight: number; readonly term: PodAffinityTerm }[];
  readonly preferredPodAntiAffinity: readonly { readonly weight: number; readonly term: PodAffinityTerm }[];
  readonly topologySpread: readonly TopologySpreadConstraint[];
  readonly hostPorts: readonly HostPort[];
  readonly volumes: readonly PodVolume[];
  readonly resourceClaims: readonly PodResourceClaim[];
  /** Image names as written, containers and init containers, in order. */
  readonly images: readonly string[];
  /** References of image volumes, in order. */
  readonly imageVolumes: readonly string[];
  readonly initContainerCount: number;
  readonly containerCount: number;
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  readonly hostNetwork: boolean;
  /** spec.nodeName as written: set for pods bound by hand, "" else. The pod's place is in PodView. */
  readonly nodeName: string;
  readonly terminationGraceMs: number;
  readonly readinessGates: readonly string[];
  readonly restartPolicy: "Always" | "OnFailure" | "Never";
  readonly runtimeClassName: string;
  /** Pod-level requests or limits are stated. */
  readonly statesPodLevel: boolean;
  readonly hostname: string;
  readonly subdomain: string;
  readonly osName: string;
  /** Spec features this model does not know that could change where the pod goes; empty in the usual case. */
  readonly notModelled: readonly string[];
  /**
   * Node features the spec needs, by upstream's names: RestartAllContainersOnContainerExits (a restartPolicyRules action
   * RestartAllContainers), UserNamespacesHostNetworkSupport (hostNetwork with hostUsers false), VolumeBindMountOptions (a
   * volumeMount with bindMountOptions; known to 1.37 only). Empty in the usual case.
   */
  readonly neededFeatures: readonly string[];
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly command: readonly string[];
  readonly hasReadinessProbe: boolean;
  readonly hasStartupProbe: boolean;
  /** preStop sleep or an estimate from `sleep N` in an exec hook; null: no hook; -1: a hook of unknown length. */
  readonly preStopMs: number | null;
  readonly requests: Resources;
  readonly limits: Resources;
  /** Names of spec.resourceClaims this container uses. */
  readonly claims: readonly string[];
  /** init containers only: restartPolicy Always makes a sidecar. */
  readonly sidecar: boolean;
  readonly ports: readonly { readonly name: string; readonly containerPort: number; readonly protocol: string }[];
}

export interface Toleration {
  /** "": every key (with operator Exists). */
  readonly key: string;
  readonly operator: "Equal" | "Exists" | "Gt" | "Lt";
  readonly value: string;
  /** "": every effect. */
  readonly effect: "" | TaintEffect;
  /** Null: for ever. Only for NoExecute. */
  readonly tolerationMs: number | null;
}

export type TaintEffect = "NoSchedule" | "PreferNoSchedule" | "NoExecute";

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: TaintEffect;
}

export interface NodeSelectorTerm {
  readonly matchExpressions: readonly Requirement[];
  /** Only metadata.name is known upstream. */
  readonly matchFields: readonly Requirement[];
}

export interface PodAffinityTerm {
  /** Null on the wire matches no pod. matchLabelKeys and mismatchLabelKeys are already merged in, as the API server does. */
  readonly selector: LabelSelector | null;
  /** Explicit names; together with namespaceSelector; both absent means the pod's own (already resolved here). */
  readonly namespaces: readonly string[];
  /** Null: none given. Empty requirements: all namespaces. */
  readonly namespaceSelector: LabelSelector | null;
  readonly topologyKey: string;
  /** As written. Merged already for the labels the template has; who adds labels to a template merges again. */
  readonly matchLabelKeys: readonly string[];
  readonly mismatchLabelKeys: readonly string[];
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway";
  /** Null on the wire matches no pod. As written: matchLabelKeys are kept apart, versions differ in who merges them. */
  readonly selector: LabelSelector | null;
  /** Null: 1 domain, unset. */
  readonly minDomains: number | null;
  readonly nodeAffinityPolicy: "Honor" | "Ignore";
  readonly nodeTaintsPolicy: "Honor" | "Ignore";
  readonly matchLabelKeys: readonly string[];
}

export interface HostPort {
  readonly hostIp: string;
  readonly protocol: "TCP" | "UDP" | "SCTP";
  readonly port: number;
}

/** Volumes that matter to placement or eviction; others are left out. */
export type PodVolume =
  | { readonly kind: "claim"; readonly volume: string; readonly claimName: string; readonly readOnly: boolean }
  /** Generic ephemeral volume: the claim is `<pod>-<volume>`. */
  | {
      readonly kind: "ephemeral";
      readonly volume: string;
      readonly storageClassName: string | null;
      readonly requestBytes: number;
      readonly accessModes: readonly string[];
    }
  | { readonly kind: "emptyDir"; readonly volume: string }
  | { readonly kind: "hostPath"; readonly volume: string }
  /** In-tree disks that VolumeRestrictions and VolumeZone look at, and inline CSI volumes. */
  | {
      readonly kind: "inline";
      readonly volume: string;
      readonly type: string;
      readonly id: string;
      readonly driver: string;
      readonly readOnly: boolean;
    };

export interface PodResourceClaim {
  readonly name: string;
  /** Exactly one of the two is set. */
  readonly claimName: string | null;
  readonly templateName: string | null;
}
