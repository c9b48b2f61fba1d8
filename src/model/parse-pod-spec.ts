import { orNone } from "../base/none.ts";
import { type Fields, quoted } from "../wire/fields.ts";
import { sameContent } from "./content-ids.ts";
import type { Labels } from "./labels.ts";
import { parseAffinity, parseTopologySpread } from "./parse-affinity.ts";
import { bindsWithOptions, parseContainer, restartsAllContainers } from "./parse-container.ts";
import type { HostPort, PodResourceClaim } from "./pod-template.ts";
import type { SpecParts } from "./spec-parts.ts";
import type { WrittenPod } from "./written-pod.ts";

/** What stands outside the spec. */
export interface PodSurroundings {
  /** A pod's place is not part of its template: only a workload's template may name a node for its pods. */
  readonly isPod: boolean;
  readonly namespace: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly admitted: boolean;
}

/**
 * `like`: one that is likely to be much the same, as the specs of a Deployment, its ReplicaSet and its pods are. What is
 * the same in both is its part then: so it is kept once, and what is made of it is made once.
 */
export function parsePodSpec(
  spec: Fields,
  around: PodSurroundings,
  parts: SpecParts,
  like: WrittenPod | null,
): WrittenPod {
  const containers = spec.objects("containers");
  const initContainers = spec.objects("initContainers");
  const hostNetwork = spec.flag("hostNetwork");
  if (containers.length === 0) spec.problem("containers", "a pod needs at least one container");
  const affinity = parseAffinity(spec.object("affinity"), around);
  const { volumes, images } = parts.volumes(spec);
  return {
    namespace: around.namespace,
    labels: shared(around.labels, like?.labels),
    annotations: shared(around.annotations, like?.annotations),
    admitted: around.admitted,
    schedulerName: spec.text("schedulerName") || "default-scheduler",
    priority: spec.whole("priority"),
    priorityClassName: spec.text("priorityClassName"),
    preemptionPolicy: spec.has("preemptionPolicy") ? parsePreemptionPolicy(spec) : null,
    schedulingGates: spec.each("schedulingGates", (gate) => gate.text("name")),
    containers: shared(
      containers.map((container) => parseContainer(container, parts, "main")),
      like?.containers,
    ),
    initContainers: shared(
      orNone(initContainers.map((container) => parseContainer(container, parts, "init"))),
      like?.initContainers,
    ),
    podLevel: parsePodLevel(spec.optionalObject("resources"), parts),
    overhead: parts.amounts(spec, "overhead"),
    tolerations: shared(parts.tolerations(spec), like?.tolerations),
    nodeSelector: shared(spec.textMap("nodeSelector"), like?.nodeSelector),
    requiredNodeAffinity: shared(affinity.requiredNodeAffinity, like?.requiredNodeAffinity),
    preferredNodeAffinity: shared(affinity.preferredNodeAffinity, like?.preferredNodeAffinity),
    requiredPodAffinity: shared(affinity.requiredPodAffinity, like?.requiredPodAffinity),
    requiredPodAntiAffinity: shared(affinity.requiredPodAntiAffinity, like?.requiredPodAntiAffinity),
    preferredPodAffinity: shared(affinity.preferredPodAffinity, like?.preferredPodAffinity),
    preferredPodAntiAffinity: shared(affinity.preferredPodAntiAffinity, like?.preferredPodAntiAffinity),
    topologySpread: shared(spec.each("topologySpreadConstraints", parseTopologySpread), like?.topologySpread),
    hostPorts: hostPortsOf(containers, initContainers, hostNetwork, parts),
    volumes: shared(volumes, like?.volumes),
    imageVolumes: images,
    resourceClaims: spec.each("resourceClaims", parseResourceClaim),
    hostNetwork,
    nodeName: around.isPod ? "" : spec.text("nodeName"),
    terminationGraceMs: (spec.count("terminationGracePeriodSeconds") ?? 30) * 1000,
    readinessGates: spec.each("readinessGates", (gate) => gate.text("conditionType")),
    restartPolicy: spec.choice("restartPolicy", ["Always", "OnFailure", "Never"], "Always"),
    runtimeClassName: spec.text("runtimeClassName"),
    hostname: spec.text("hostname"),
    subdomain: spec.text("subdomain"),
    osName: spec.object("os").text("name"),
    notModelled: orNone(groupScheduling.filter((field) => spec.has(field))),
    neededFeatures: orNone(neededFeatures(spec, [...containers, ...initContainers], hostNetwork)),
  };
}

/** The like one's part where it is the same. */
export function shared<T>(own: T, like: T | undefined): T {
  return like !== undefined && sameContent(own, like) ? like : own;
}

function hostPortsOf(
  containers: readonly Fields[],
  initContainers: readonly Fields[],
  hostNetwork: boolean,
  parts: SpecParts,
): readonly HostPort[] {
  const ports: HostPort[] = [];
  for (const container of containers) ports.push(...parts.hostPorts(container, hostNetwork));
  for (const container of initContainers) {
    if (isSidecar(container)) ports.push(...parts.hostPorts(container, hostNetwork));
  }
  return orNone(ports);
}

/** Init containers that end before the pod runs hold no host port in the scheduler's books. */
function isSidecar(initContainer: Fields): boolean {
  return initContainer.text("restartPolicy") === "Always";
}

export function parsePreemptionPolicy(fields: Fields): "PreemptLowerPriority" | "Never" {
  return fields.choice("preemptionPolicy", ["PreemptLowerPriority", "Never"], "PreemptLowerPriority");
}

/** Fields by which pods ask to be scheduled as a group: the model places pods one by one. */
const groupScheduling = ["workloadRef", "schedulingGroup"];

function parsePodLevel(resources: Fields | null, parts: SpecParts): WrittenPod["podLevel"] {
  if (resources === null) return null;
  const requests = parts.amounts(resources, "requests");
  const limits = parts.amounts(resources, "limits");
  return requests.size + limits.size === 0 ? null : { requests, limits };
}

/** The claim may be named inside `source`, as before 1.31. */
function parseResourceClaim(claim: Fields): PodResourceClaim {
  const source = claim.optionalObject("source") ?? claim;
  const name = claim.text("name");
  const claimName = source.optionalText("resourceClaimName");
  const templateName = source.optionalText("resourceClaimTemplateName");
  if ((claimName === null) === (templateName === null)) {
    claim.problem("", `claim ${quoted(name)} must name either a ResourceClaim or a ResourceClaimTemplate`);
  }
  return { name, claimName, templateName: claimName === null ? templateName : null };
}

/** Mirrors component-helpers nodedeclaredfeatures, InferForScheduling, 1.37. */
function neededFeatures(spec: Fields, containers: readonly Fields[], hostNetwork: boolean): readonly string[] {
  const needed: string[] = [];
  if (containers.some(restartsAllContainers)) needed.push("RestartAllContainersOnContainerExits");
  if (hostNetwork && spec.optionalFlag("hostUsers") === false) needed.push("UserNamespacesHostNetworkSupport");
  if (containers.some(bindsWithOptions)) needed.push("VolumeBindMountOptions");
  return needed;
}
