import { type Codec, fields, flag, list, map, nullable, number, oneOf, shared, text, union } from "../wire/codec.ts";
import type { LabelSelector, Labels, Requirement } from "./labels.ts";
import type {
  Container,
  HostPort,
  NodeSelectorTerm,
  PodAffinityTerm,
  PodResourceClaim,
  PodTemplate,
  PodVolume,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from "./pod-template.ts";
import type { Resources } from "./resources.ts";

export const texts: Codec<readonly string[]> = list(text);
export const labels: Codec<Labels> = shared(map(text));
export const amounts: Codec<ReadonlyMap<string, number>> = map(number);
const effect = oneOf("NoSchedule", "PreferNoSchedule", "NoExecute");

export const resources: Codec<Resources> = shared(
  fields<Resources>({ milliCpu: number, memoryBytes: number, ephemeralStorageBytes: number, scalar: amounts }),
);

const requirement = fields<Requirement>({
  key: text,
  operator: oneOf("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
  values: texts,
});

export const selector: Codec<LabelSelector> = shared(
  fields<LabelSelector>({ requirements: list(requirement), invalid: flag }),
);

export const nodeTerm = fields<NodeSelectorTerm>({
  matchExpressions: list(requirement),
  matchFields: list(requirement),
});

export const taint = fields<Taint>({ key: text, value: text, effect });

export const toleration = fields<Toleration>({
  key: text,
  operator: oneOf("Equal", "Exists", "Gt", "Lt"),
  value: text,
  effect: oneOf("", "NoSchedule", "PreferNoSchedule", "NoExecute"),
  tolerationMs: nullable(number),
});

const podTerm = fields<PodAffinityTerm>({
  selector: nullable(selector),
  namespaces: texts,
  namespaceSelector: nullable(selector),
  topologyKey: text,
  matchLabelKeys: texts,
  mismatchLabelKeys: texts,
});

const weightedPodTerm = fields<PodTemplate["preferredPodAffinity"][number]>({ weight: number, term: podTerm });
const honor = oneOf("Honor", "Ignore");

const spread = fields<TopologySpreadConstraint>({
  maxSkew: number,
  topologyKey: text,
  whenUnsatisfiable: oneOf("DoNotSchedule", "ScheduleAnyway"),
  selector: nullable(selector),
  minDomains: nullable(number),
  nodeAffinityPolicy: honor,
  nodeTaintsPolicy: honor,
  matchLabelKeys: texts,
});

type Of<K extends PodVolume["kind"]> = Extract<PodVolume, { readonly kind: K }>;

const volume = union<PodVolume, "kind">("kind", {
  claim: fields<Of<"claim">>({ kind: oneOf("claim"), volume: text, claimName: text, readOnly: flag }),
  ephemeral: fields<Of<"ephemeral">>({
    kind: oneOf("ephemeral"),
    volume: text,
    storageClassName: nullable(text),
    requestBytes: number,
    accessModes: texts,
  }),
  emptyDir: fields<Of<"emptyDir">>({ kind: oneOf("emptyDir"), volume: text }),
  hostPath: fields<Of<"hostPath">>({ kind: oneOf("hostPath"), volume: text }),
  inline: fields<Of<"inline">>({
    kind: oneOf("inline"),
    volume: text,
    type: text,
    id: text,
    driver: text,
    readOnly: flag,
  }),
});

const container = fields<Container>({
  name: text,
  image: text,
  args: texts,
  command: texts,
  hasReadinessProbe: flag,
  hasStartupProbe: flag,
  preStopMs: nullable(number),
  requests: resources,
  limits: resources,
  claims: texts,
  sidecar: flag,
  ports: list(fields<Container["ports"][number]>({ name: text, containerPort: number, protocol: text })),
});

/** Deployment, ReplicaSet and pods of one workload have the same ones, in lists of their own. */
const containers: Codec<PodTemplate["containers"]> = shared(list(container));

export const template: Codec<PodTemplate> = shared(
  fields<PodTemplate>({
    id: number,
    namespace: text,
    labels,
    annotations: labels,
    schedulerName: text,
    priority: number,
    priorityClassName: text,
    preemptionPolicy: oneOf("PreemptLowerPriority", "Never"),
    schedulingGates: texts,
    requests: resources,
    nonZeroMilliCpu: number,
    nonZeroMemoryBytes: number,
    scoredMilliCpu: number,
    scoredMemoryBytes: number,
    limits: resources,
    tolerations: shared(list(toleration)),
    nodeSelector: labels,
    requiredNodeAffinity: nullable(list(nodeTerm)),
    preferredNodeAffinity: list(
      fields<PodTemplate["preferredNodeAffinity"][number]>({ weight: number, term: nodeTerm }),
    ),
    requiredPodAffinity: list(podTerm),
    requiredPodAntiAffinity: list(podTerm),
    preferredPodAffinity: list(weightedPodTerm),
    preferredPodAntiAffinity: list(weightedPodTerm),
    topologySpread: list(spread),
    hostPorts: list(fields<HostPort>({ hostIp: text, protocol: oneOf("TCP", "UDP", "SCTP"), port: number })),
    volumes: list(volume),
    resourceClaims: list(
      fields<PodResourceClaim>({ name: text, claimName: nullable(text), templateName: nullable(text) }),
    ),
    images: texts,
    imageVolumes: texts,
    initContainerCount: number,
    containerCount: number,
    containers,
    initContainers: containers,
    hostNetwork: flag,
    nodeName: text,
    terminationGraceMs: number,
    readinessGates: texts,
    restartPolicy: oneOf("Always", "OnFailure", "Never"),
    runtimeClassName: text,
    statesPodLevel: flag,
    hostname: text,
    subdomain: text,
    osName: text,
    notModelled: texts,
    neededFeatures: texts,
  }),
);
