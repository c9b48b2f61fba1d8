import type { Minor } from "./cluster.ts";
import { type Amounts, noAmounts, type Quantity } from "./quantity.ts";

/** What the sums are made of. */
export interface Summed {
  readonly containers: readonly SummedContainer[];
  readonly initContainers: readonly SummedContainer[];
  /** Pod-level requests and limits; null: none stated. */
  readonly podLevel: { readonly requests: Amounts; readonly limits: Amounts } | null;
  readonly overhead: Amounts;
}

export interface SummedContainer {
  readonly name: string;
  readonly sidecar: boolean;
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** What the kubelet reports of a running pod's resources: they differ from the spec while a resize is under way. */
export interface ReportedResources {
  readonly containers: ReadonlyMap<string, ReportedContainer>;
  /** status.resources.requests; null: not stated. */
  readonly podActual: Amounts | null;
  /** status.resources is there at all. */
  readonly podStated: boolean;
  /** status.allocatedResources; null: not stated. */
  readonly podAllocated: Amounts | null;
  /** The kubelet called the resize infeasible: what the spec asks for no longer counts. */
  readonly infeasible: boolean;
}

export interface ReportedContainer {
  /** resources is there at all. */
  readonly stated: boolean;
  readonly actual: Amounts | null;
  readonly allocated: Amounts | null;
}

type Fillers = Amounts;

/**
 * What the scheduler counts for a pod: containers together, or the hungriest moment of the init phase if that is more;
 * sidecars count in both; pod-level requests replace the sum of the resources they name; overhead is added.
 * `fillers` stand in for requests a container does not state. `reported` is null for a pod that has not run yet.
 * Mirrors: component-helpers resource PodRequests, Kubernetes 1.34 to 1.37, with the gates' defaults.
 */
export function podRequests(
  pod: Summed,
  minor: Minor,
  reported: ReportedResources | null,
  fillers: Fillers = noAmounts,
): Amounts {
  const sums = new Map(reported === null ? fromSpec(pod, fillers) : fromStatus(pod, minor, reported, fillers));
  for (const [name, amount] of podLevelRequests(pod, minor, reported)) sums.set(name, amount);
  addTo(sums, pod.overhead);
  return sums;
}

/** Sums of limits, for quotas; overhead is added only where a limit is stated. Mirrors PodLimits. */
export function podLimits(pod: Summed): Amounts {
  const sums = new Map(aggregate(pod, (container) => container.limits));
  for (const [name, amount] of pod.podLevel?.limits ?? noAmounts) {
    if (countsAtPodLevel(name)) sums.set(name, amount);
  }
  for (const [name, amount] of pod.overhead) {
    const limit = sums.get(name);
    if (limit !== undefined && limit !== 0n) sums.set(name, limit + amount);
  }
  return sums;
}

/** Requests of all containers, without pod level and overhead. */
export function containerRequests(pod: Summed): Amounts {
  return fromSpec(pod, noAmounts);
}

/** Limits of all containers, without pod level. */
export function containerLimits(pod: Summed): Amounts {
  return aggregate(pod, (container) => container.limits);
}

/** Resources that can be stated for the pod as a whole. */
export function countsAtPodLevel(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

/** The stand-ins the scheduler's scores use for requests nobody states. */
export function nonZeroFillers(pod: Summed, requests: Amounts): Amounts {
  const fillers = new Map<string, Quantity>([
    ["cpu", 100n * 1_000_000n],
    ["memory", 200n * 1024n * 1024n * 1_000_000_000n],
  ]);
  const podLevelStated = [...(pod.podLevel?.requests.keys() ?? [])].some(countsAtPodLevel);
  if (podLevelStated) for (const name of requests.keys()) fillers.delete(name);
  return fillers;
}

function fromSpec(pod: Summed, fillers: Fillers): Amounts {
  return aggregate(pod, (container) => filled(container.requests, fillers));
}

/** 1.37 compares whole-pod sums; older versions take the most a container each. */
function fromStatus(pod: Summed, minor: Minor, reported: ReportedResources, fillers: Fillers): Amounts {
  if (minor >= 37) return mostOfSums(pod, reported, fillers);
  return aggregate(pod, (container, kind) => {
    const status = kind === "init" ? undefined : reported.containers.get(container.name);
    if (status === undefined || !status.stated) return filled(container.requests, fillers);
    const seen = most(status.actual ?? noAmounts, status.allocated ?? noAmounts);
    return filled(reported.infeasible ? seen : most(container.requests, seen), fillers);
  });
}

function mostOfSums(pod: Summed, reported: ReportedResources, fillers: Fillers): Amounts {
  const fallback = (container: SummedContainer): Amounts => (reported.infeasible ? noAmounts : container.requests);
  const allocatedOf = (container: SummedContainer): Amounts =>
    reported.containers.get(container.name)?.allocated ?? fallback(container);
  const actualOf = (container: SummedContainer): Amounts => {
    const status = reported.containers.get(container.name);
    return status?.actual ?? status?.allocated ?? fallback(container);
  };
  const seen =
    reported.podAllocated !== null && reported.podActual !== null
      ? most(reported.podActual, reported.podAllocated)
      : most(
          aggregate(pod, (container) => filled(actualOf(container), fillers)),
          aggregate(pod, (container) => filled(allocatedOf(container), fillers)),
        );
  return reported.infeasible ? seen : most(fromSpec(pod, fillers), seen);
}

function podLevelRequests(pod: Summed, minor: Minor, reported: ReportedResources | null): Amounts {
  const spec = pod.podLevel?.requests ?? noAmounts;
  if (![...spec.keys()].some(countsAtPodLevel)) return noAmounts;
  const resizable = minor >= 36 && reported?.podStated === true;
  const effective = resizable ? resizedPodLevel(spec, minor, reported) : spec;
  const counted = new Map<string, Quantity>();
  for (const [name, amount] of effective) if (countsAtPodLevel(name)) counted.set(name, amount);
  return counted;
}

function resizedPodLevel(spec: Amounts, minor: Minor, reported: ReportedResources): Amounts {
  const seen = most(reported.podActual ?? noAmounts, reported.podAllocated ?? noAmounts);
  const effective = reported.infeasible ? seen : most(spec, seen);
  if (minor >= 37) return effective;
  // 1.36 walks the names of the spec; a name nobody reports counts as zero.
  return new Map([...spec.keys()].map((name) => [name, effective.get(name) ?? 0n]));
}

type ContainerKind = "container" | "sidecar" | "init";

/** The larger of: all containers and sidecars together, or any init container beside the sidecars started before it. */
function aggregate(pod: Summed, amountsOf: (container: SummedContainer, kind: ContainerKind) => Amounts): Amounts {
  const sums = new Map<string, Quantity>();
  for (const container of pod.containers) addTo(sums, amountsOf(container, "container"));
  const sidecars = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  for (const container of pod.initContainers) {
    const amounts = amountsOf(container, container.sidecar ? "sidecar" : "init");
    if (container.sidecar) {
      addTo(sums, amounts);
      addTo(sidecars, amounts);
      raiseTo(peak, sidecars);
      continue;
    }
    const moment = new Map(amounts);
    addTo(moment, sidecars);
    raiseTo(peak, moment);
  }
  raiseTo(sums, peak);
  return sums;
}

function filled(amounts: Amounts, fillers: Fillers): Amounts {
  if (fillers.size === 0) return amounts;
  const copy = new Map(amounts);
  for (const [name, amount] of fillers) if (!copy.has(name)) copy.set(name, amount);
  return copy;
}

function addTo(sums: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) sums.set(name, (sums.get(name) ?? 0n) + amount);
}

function raiseTo(peaks: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const peak = peaks.get(name);
    if (peak === undefined || amount > peak) peaks.set(name, amount);
  }
}

function most(a: Amounts, b: Amounts): Amounts {
  const result = new Map(a);
  raiseTo(result, b);
  return result;
}
