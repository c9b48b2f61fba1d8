import { none, orNone } from "../base/none.ts";
import { type Fields, quoted } from "../wire/fields.ts";
import { sameContent } from "./content-ids.ts";
import type { Labels } from "./labels.ts";
import { parseAffinity, parseTopologySpread } from "./parse-affinity.ts";
import type { PodResourceClaim } from "./pod-template.ts";
import type { SpecContainers, SpecParts } from "./spec-parts.ts";
import type { FilledIn, WrittenSpec } from "./written-pod.ts";

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
  like: WrittenSpec | null,
): WrittenSpec {
  const hostNetwork = spec.flag("hostNetwork");
  const containers = parts.containers(spec, hostNetwork);
  const initContainers = parts.initContainers(spec, hostNetwork);
  if (containers.written.length === 0) spec.problem("containers", "a pod needs at least one container");
  const affinity = parseAffinity(spec.optionalObject("affinity"), around);
  const { volumes, images } = parts.volumes(spec);
  return {
    made: { counted: null, templates: none },
    schedulerName: spec.text("schedulerName") || "default-scheduler",
    schedulingGates: spec.each("schedulingGates", (gate) => gate.text("name")),
    containers: shared(containers.written, like?.containers),
    initContainers: shared(initContainers.written, like?.initContainers),
    podLevel: parsePodLevel(spec.optionalObject("resources"), parts),
    overhead: parts.amounts(spec, "overhead"),
    nodeSelector: shared(spec.textMap("nodeSelector"), like?.nodeSelector),
    requiredNodeAffinity: shared(affinity.requiredNodeAffinity, like?.requiredNodeAffinity),
    preferredNodeAffinity: shared(affinity.preferredNodeAffinity, like?.preferredNodeAffinity),
    requiredPodAffinity: shared(affinity.requiredPodAffinity, like?.requiredPodAffinity),
    requiredPodAntiAffinity: shared(affinity.requiredPodAntiAffinity, like?.requiredPodAntiAffinity),
    preferredPodAffinity: shared(affinity.preferredPodAffinity, like?.preferredPodAffinity),
    preferredPodAntiAffinity: shared(affinity.preferredPodAntiAffinity, like?.preferredPodAntiAffinity),
    topologySpread: shared(spec.each("topologySpreadConstraints", parseTopologySpread), like?.topologySpread),
    hostPorts: orNone([...containers.hostPorts, ...initContainers.hostPorts]),
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
    osName: spec.optionalObject("os")?.text("name") ?? "",
    notModelled: orNone(groupScheduling.filter((field) => spec.has(field))),
    neededFeatures: orNone(neededFeatures(spec, hostNetwork, [containers, initContainers])),
  };
}

export function parseFilledIn(spec: Fields, parts: SpecParts): FilledIn {
  return {
    priority: spec.whole("priority"),
    priorityClassName: spec.text("priorityClassName"),
    preemptionPolicy: spec.has("preemptionPolicy") ? parsePreemptionPolicy(spec) : null,
    tolerations: parts.tolerations(spec),
  };
}

/** The like one's part where it is the same. */
export function shared<T>(own: T, like: T | undefined): T {
  return like !== undefined && sameContent(own, like) ? like : own;
}

export function parsePreemptionPolicy(fields: Fields): "PreemptLowerPriority" | "Never" {
  return fields.choice("preemptionPolicy", ["PreemptLowerPriority", "Never"], "PreemptLowerPriority");
}

/** Fields by which pods ask to be scheduled as a group: the model places pods one by one. */
const groupScheduling = ["workloadRef", "schedulingGroup"];

function parsePodLevel(resources: Fields | null, parts: SpecParts): WrittenSpec["podLevel"] {
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
function neededFeatures(spec: Fields, hostNetwork: boolean, lists: readonly SpecContainers[]): readonly string[] {
  const needed: string[] = [];
  if (lists.some(({ restartAll }) => restartAll)) needed.push("RestartAllContainersOnContainerExits");
  if (hostNetwork && spec.optionalFlag("hostUsers") === false) needed.push("UserNamespacesHostNetworkSupport");
  if (lists.some(({ bindWithOptions }) => bindWithOptions)) needed.push("VolumeBindMountOptions");
  return needed;
}
