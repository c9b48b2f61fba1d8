import type { Labels } from "./labels.ts";
import type { CountedSpec } from "./pod-sums.ts";
import type {
  HostPort,
  NodeSelectorTerm,
  PodAffinityTerm,
  PodResourceClaim,
  PodTemplate,
  PodVolume,
  Toleration,
  TopologySpreadConstraint,
} from "./pod-template.ts";
import type { Amounts } from "./quantity.ts";

/**
 * A pod spec as somebody wrote it, read but without any default that depends on other objects (priority classes, limit
 * ranges, runtime classes): those may come later in the input. admission.ts makes a PodTemplate of it.
 */
export interface WrittenPod extends FilledIn {
  readonly namespace: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** True for a pod read back from a server: its admission is behind it. */
  readonly admitted: boolean;
  readonly spec: WrittenSpec;
}

/** What a server fills in when it makes a pod. */
export interface FilledIn {
  readonly priority: number | null;
  readonly priorityClassName: string;
  readonly preemptionPolicy: "PreemptLowerPriority" | "Never" | null;
  readonly tolerations: readonly Toleration[];
}

/** The rest of the spec. Those that are read the same are one object: a Deployment's, its ReplicaSets' and their pods'. */
export interface WrittenSpec {
  /** What was made of it so far; only admission and the pool look at it. */
  readonly made: { counted: CountedSpec | null; templates: readonly MadeTemplate[] };
  readonly schedulerName: string;
  readonly schedulingGates: readonly string[];
  readonly containers: readonly WrittenContainer[];
  readonly initContainers: readonly WrittenContainer[];
  /** Pod-level resources; null: none stated. */
  readonly podLevel: { readonly requests: Amounts; readonly limits: Amounts } | null;
  readonly overhead: Amounts;
  readonly nodeSelector: Labels;
  readonly requiredNodeAffinity: readonly NodeSelectorTerm[] | null;
  readonly preferredNodeAffinity: readonly { readonly weight: number; readonly term: NodeSelectorTerm }[];
  readonly requiredPodAffinity: readonly PodAffinityTerm[];
  readonly requiredPodAntiAffinity: readonly PodAffinityTerm[];
  readonly preferredPodAffinity: readonly WeightedPodTerm[];
  readonly preferredPodAntiAffinity: readonly WeightedPodTerm[];
  readonly topologySpread: readonly TopologySpreadConstraint[];
  readonly hostPorts: readonly HostPort[];
  readonly volumes: readonly PodVolume[];
  readonly imageVolumes: readonly string[];
  readonly resourceClaims: readonly PodResourceClaim[];
  readonly hostNetwork: boolean;
  readonly nodeName: string;
  readonly terminationGraceMs: number;
  readonly readinessGates: readonly string[];
  readonly restartPolicy: "Always" | "OnFailure" | "Never";
  readonly runtimeClassName: string;
  readonly hostname: string;
  readonly subdomain: string;
  readonly osName: string;
  readonly notModelled: readonly string[];
  readonly neededFeatures: readonly string[];
}

/** A template by the form that equal ones share. */
export interface MadeTemplate {
  /** The template; where it names a node, one that names "" and has no number, which all that differ in it share. */
  readonly form: PodTemplate;
  /** The node it names; null: none. */
  readonly node: string | null;
}

export interface WeightedPodTerm {
  readonly weight: number;
  readonly term: PodAffinityTerm;
}

export interface WrittenContainer {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly command: readonly string[];
  readonly hasReadinessProbe: boolean;
  readonly hasStartupProbe: boolean;
  readonly preStopMs: number | null;
  readonly requests: Amounts;
  readonly limits: Amounts;
  readonly claims: readonly string[];
  readonly sidecar: boolean;
  readonly ports: readonly { readonly name: string; readonly containerPort: number; readonly protocol: string }[];
}
