import { none, orNone } from "../base/none.ts";
import type { Minor } from "./cluster.ts";
import type { Labels } from "./labels.ts";
import {
  containerLimits,
  containerRequests,
  countsAtPodLevel,
  nonZeroFillers,
  podRequests,
  type ReportedResources,
  type Summed,
} from "./pod-requests.ts";
import type { CountedSpec, PodSums } from "./pod-sums.ts";
import type { Container, PodTemplate, Toleration } from "./pod-template.ts";
import type { PriorityClass } from "./policy.ts";
import { type Amounts, milliUnits, noAmounts, type Quantity, toResources, wholeUnits } from "./quantity.ts";
import type { Resources } from "./resources.ts";
import type { WrittenContainer, WrittenPod, WrittenSpec } from "./written-pod.ts";

/** Defaults of one LimitRange for containers. */
export interface ContainerDefaults {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

export interface RuntimeClass {
  readonly overhead: Amounts;
  readonly nodeSelector: Labels;
  readonly tolerations: readonly Toleration[];
}

/** The objects the API server's admission plugins look at. */
export interface AdmissionContext {
  readonly minor: Minor;
  readonly priorityClasses: ReadonlyMap<string, PriorityClass>;
  /** Namespace → its limit ranges, in input order. */
  readonly limitRanges: ReadonlyMap<string, readonly ContainerDefaults[]>;
  readonly runtimeClasses: ReadonlyMap<string, RuntimeClass>;
}

/** What a pod is once it is admitted, beside what its spec alone decides: two of one spec with the same are one template. */
export interface Admitted {
  readonly priority: Priority;
  readonly tolerations: readonly Toleration[];
  /** What the runtime class asks for beside the spec's; null: nothing. */
  readonly addedSelector: Labels | null;
  readonly counted: CountedSpec;
  /** Field path inside the spec, and message. */
  readonly problems: readonly (readonly [string, string])[];
}

interface Priority {
  readonly value: number;
  readonly className: string;
  readonly preemptionPolicy: PodTemplate["preemptionPolicy"];
}

/**
 * What the API server makes of a pod when it is created: the default admission plugins Priority,
 * DefaultTolerationSeconds, LimitRanger and RuntimeClass, and the defaults of pod-level resources. A pod read back from
 * a server has been through LimitRanger and RuntimeClass; the rest changes nothing the second time.
 * Mirrors: plugin/pkg/admission and pkg/apis/core/v1 defaults, Kubernetes 1.36.
 */
export function admit(written: WrittenPod, context: AdmissionContext, sums: PodSums): Admitted {
  const problems: (readonly [string, string])[] = [];
  const runtime = runtimeClassOf(written, context, problems);
  const priority = priorityOf(written, context, problems);
  return {
    priority,
    tolerations: tolerationsOf(written.tolerations, runtime),
    addedSelector: runtime === undefined || runtime.nodeSelector.size === 0 ? null : runtime.nodeSelector,
    counted: countedOf(written, runtime, context, sums),
    problems: orNone(problems),
  };
}

/** What a template is made with: its number, and the values that equal ones have become. */
export interface Making {
  readonly id: number;
  readonly labels: Labels;
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector: Labels;
}

/** The template of a pod that was admitted so. */
export function templateOf(
  { namespace, annotations, spec }: WrittenPod,
  { priority, counted }: Admitted,
  { id, labels, tolerations, nodeSelector }: Making,
): PodTemplate {
  const { sums, images, containers, initContainers } = counted;
  return {
    // Field by field: copies with the rest left out take many times as long, and there are as many as owners of pods.
    id,
    namespace,
    labels,
    annotations,
    schedulerName: spec.schedulerName,
    priority: priority.value,
    priorityClassName: priority.className,
    preemptionPolicy: priority.preemptionPolicy,
    schedulingGates: spec.schedulingGates,
    requests: sums.requests,
    nonZeroMilliCpu: sums.nonZeroMilliCpu,
    nonZeroMemoryBytes: sums.nonZeroMemoryBytes,
    scoredMilliCpu: sums.scoredMilliCpu,
    scoredMemoryBytes: sums.scoredMemoryBytes,
    limits: sums.limits,
    tolerations,
    nodeSelector,
    requiredNodeAffinity: spec.requiredNodeAffinity,
    preferredNodeAffinity: spec.preferredNodeAffinity,
    requiredPodAffinity: spec.requiredPodAffinity,
    requiredPodAntiAffinity: spec.requiredPodAntiAffinity,
    preferredPodAffinity: spec.preferredPodAffinity,
    preferredPodAntiAffinity: spec.preferredPodAntiAffinity,
    topologySpread: spec.topologySpread,
    hostPorts: spec.hostPorts,
    volumes: spec.volumes,
    resourceClaims: spec.resourceClaims,
    images,
    imageVolumes: spec.imageVolumes,
    initContainerCount: spec.initContainers.length,
    containerCount: spec.containers.length,
    containers,
    initContainers,
    hostNetwork: spec.hostNetwork,
    nodeName: spec.nodeName,
    terminationGraceMs: spec.terminationGraceMs,
    readinessGates: spec.readinessGates,
    restartPolicy: spec.restartPolicy,
    runtimeClassName: spec.runtimeClassName,
    statesPodLevel: spec.podLevel !== null,
    hostname: spec.hostname,
    subdomain: spec.subdomain,
    osName: spec.osName,
    notModelled: spec.notModelled,
    neededFeatures: spec.neededFeatures,
  };
}

/** What the scheduler counts for a running pod whose kubelet reports other amounts than its spec. */
export function resizedRequests(summed: Summed, minor: Minor, reported: ReportedResources): Resources {
  return toResources(podRequests(summed, minor, reported));
}

/** The same with the stand-ins that the scheduler's scores use. */
export function resizedNonZero(
  summed: Summed,
  minor: Minor,
  reported: ReportedResources,
): { readonly nonZeroMilliCpu: number; readonly nonZeroMemoryBytes: number } {
  const fillers = nonZeroFillers(summed, podRequests(summed, minor, reported));
  const nonZero = podRequests(summed, minor, reported, fillers);
  return {
    nonZeroMilliCpu: milliUnits(nonZero.get("cpu") ?? 0n),
    nonZeroMemoryBytes: wholeUnits(nonZero.get("memory") ?? 0n),
  };
}

function runtimeClassOf(
  written: WrittenPod,
  context: AdmissionContext,
  problems: (readonly [string, string])[],
): RuntimeClass | undefined {
  if (written.admitted || written.spec.runtimeClassName === "") return undefined;
  const runtime = context.runtimeClasses.get(written.spec.runtimeClassName);
  if (runtime === undefined) {
    problems.push([
      "runtimeClassName",
      `RuntimeClass ${written.spec.runtimeClassName} is not in the input: its overhead and node selector are not counted`,
    ]);
  }
  return runtime;
}

function priorityOf(written: WrittenPod, context: AdmissionContext, problems: (readonly [string, string])[]): Priority {
  const name = written.priorityClassName;
  const found = name === "" ? globalDefault(context) : context.priorityClasses.get(name);
  if (name !== "" && found === undefined && written.priority === null) {
    problems.push(["priorityClassName", `PriorityClass ${name} is not in the input: priority 0 is assumed`]);
  }
  return {
    // A pod that has its priority already was given its class, or none, when it was made.
    className: name === "" && written.priority === null ? (found?.name ?? "") : name,
    value: written.priority ?? found?.value ?? 0,
    preemptionPolicy: written.preemptionPolicy ?? found?.preemptionPolicy ?? "PreemptLowerPriority",
  };
}

/** Of several default classes the lowest value counts. */
function globalDefault(context: AdmissionContext): PriorityClass | undefined {
  let chosen: PriorityClass | undefined;
  for (const candidate of context.priorityClasses.values()) {
    if (candidate.globalDefault && (chosen === undefined || candidate.value < chosen.value)) chosen = candidate;
  }
  return chosen;
}

function tolerationsOf(written: readonly Toleration[], runtime: RuntimeClass | undefined): readonly Toleration[] {
  const known = runtime === undefined ? withDefaults.get(written) : undefined;
  if (known !== undefined) return known;
  const added: Toleration[] = [];
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    if (!written.some((each) => coversNoExecute(each, key))) {
      added.push({ key, operator: "Exists", value: "", effect: "NoExecute", tolerationMs: 300_000 });
    }
  }
  const isThere = (toleration: Toleration): boolean =>
    written.some((known) => sameToleration(known, toleration)) ||
    added.some((known) => sameToleration(known, toleration));
  for (const toleration of runtime?.tolerations ?? []) if (!isThere(toleration)) added.push(toleration);
  const all = added.length === 0 ? written : [...written, ...added];
  if (runtime === undefined) withDefaults.set(written, all);
  return all;
}

/** Of lists as written, which must not change, where no runtime class adds to them. */
const withDefaults = new WeakMap<readonly Toleration[], readonly Toleration[]>();

function coversNoExecute(toleration: Toleration, key: string): boolean {
  const keyFits = toleration.key === key || toleration.key === "";
  return keyFits && (toleration.effect === "NoExecute" || toleration.effect === "");
}

function sameToleration(a: Toleration, b: Toleration): boolean {
  return (
    a.key === b.key &&
    a.operator === b.operator &&
    a.value === b.value &&
    a.effect === b.effect &&
    a.tolerationMs === b.tolerationMs
  );
}

/** What only the spec decides is worked out once for all that have it. */
function countedOf(
  written: WrittenPod,
  runtime: RuntimeClass | undefined,
  context: AdmissionContext,
  sums: PodSums,
): CountedSpec {
  const { spec } = written;
  const ranges = written.admitted ? none : (context.limitRanges.get(written.namespace) ?? none);
  if (runtime !== undefined || ranges.length > 0) {
    return counted(spec, summedOf(spec, runtime, ranges), context.minor, sums);
  }
  spec.made.counted ??= counted(spec, summedOf(spec, undefined, none), context.minor, sums);
  return spec.made.counted;
}

function counted(spec: WrittenSpec, summed: Summed, minor: Minor, sums: PodSums): CountedSpec {
  return {
    summed,
    sums: sums.of(summed, minor),
    images: [...spec.containers, ...spec.initContainers].map((container) => container.image),
    containers: finished(spec.containers, summed.containers),
    initContainers: finished(spec.initContainers, summed.initContainers),
  };
}

function summedOf(spec: WrittenSpec, runtime: RuntimeClass | undefined, ranges: readonly ContainerDefaults[]): Summed {
  const limited = (containers: WrittenSpec["containers"]): WrittenSpec["containers"] =>
    ranges.length === 0 ? containers : containers.map((container) => withLimitRanges(container, ranges));
  return {
    containers: limited(spec.containers),
    initContainers: limited(spec.initContainers),
    // Pod-level defaults come at decoding, before any admission plugin changes the containers.
    podLevel: withPodLevelDefaults(spec),
    overhead: runtime === undefined ? spec.overhead : runtime.overhead,
  };
}

function withLimitRanges(container: WrittenContainer, ranges: readonly ContainerDefaults[]): WrittenContainer {
  const requests = new Map(container.requests);
  const limits = new Map(container.limits);
  for (const range of ranges) {
    for (const [name, amount] of range.limits) if (!limits.has(name)) limits.set(name, amount);
    for (const [name, amount] of range.requests) if (!requests.has(name)) requests.set(name, amount);
  }
  return { ...container, requests, limits };
}

/** With pod-level limits, missing pod-level requests become the containers' sum, or else the limit. */
function withPodLevelDefaults(spec: WrittenSpec): Summed["podLevel"] {
  if (spec.podLevel === null) return null;
  const summed: Summed = { ...spec, podLevel: null, overhead: noAmounts };
  const requests = new Map<string, Quantity>(spec.podLevel.requests);
  const limits = new Map<string, Quantity>(spec.podLevel.limits);
  for (const [name, amount] of containerLimits(summed)) {
    if (name.startsWith("hugepages-") && !requests.has(name) && !limits.has(name)) limits.set(name, amount);
  }
  if (limits.size === 0) return { requests, limits };
  for (const [name, amount] of containerRequests(summed)) {
    if ((name === "cpu" || name === "memory") && !requests.has(name)) requests.set(name, amount);
  }
  for (const [name, amount] of limits) {
    if (countsAtPodLevel(name) && !requests.has(name)) requests.set(name, amount);
  }
  return { requests, limits };
}

function finished(written: readonly WrittenContainer[], summed: Summed["containers"]): readonly Container[] {
  if (written.length === 0) return none;
  const known = written === summed ? finishedAsWritten.get(written) : undefined;
  if (known !== undefined) return known;
  const containers = written.map((container, index) => ({
    ...container,
    requests: toResources(summed[index]?.requests ?? container.requests),
    limits: toResources(summed[index]?.limits ?? container.limits),
  }));
  if (written === summed) finishedAsWritten.set(written, containers);
  return containers;
}

/** What no limit range changes is worked out once for each list, which must not change. */
const finishedAsWritten = new WeakMap<readonly WrittenContainer[], readonly Container[]>();
