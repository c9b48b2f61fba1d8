import type { ChangedOnAdmission, LearntChange, LearntChanges } from "./cluster.ts";
import { sameContent } from "./content-ids.ts";
import { type ObjectKey, objectKey } from "./key.ts";
import { groupNameLabel, templateHashLabel } from "./labels.ts";
import type { Pod } from "./pod.ts";
import { kinOf, type PodKin } from "./pod-columns.ts";
import type { PodTemplate } from "./pod-template.ts";
import { isWithin, sameResources } from "./resources.ts";
import { derivedTemplate, hasPodAffinity, isSameContent } from "./template-content.ts";
import type { Workload } from "./workload.ts";

type Maker = Extract<Workload, { readonly template: PodTemplate }>;

interface Found extends LearntChange {
  readonly maker: Maker;
  readonly createdAtMs: number;
}

type Intern = (template: PodTemplate) => PodTemplate;

/**
 * Webhooks and plugins of the API server that are not modelled change pods while they are created: sidecars come in, GKE and AKS
 * add a toleration for GPUs, policy engines a spread. What they will do stands nowhere, but what they did does: the next pod of
 * a template becomes what its newest pod became.
 *
 * Not learnt: what admission takes away; labels and annotations, which also change while a pod lives; what it does to pods of
 * DaemonSets, ReplicationControllers and older revisions; and anything where an owner has no pod on a node.
 */
export function learntFrom(workloads: ReadonlyMap<ObjectKey, Workload>, pods: readonly Pod[]): ChangedOnAdmission {
  const changed = new Map<ObjectKey, LearntChanges>();
  const found = foundIn(workloads, pods);
  if (found.length === 0) return changed;
  const learnt = new Learnt(found);
  for (const workload of workloads.values()) {
    const changes = learnt.of(workload);
    if (changes.template !== null || changes.workerTemplate !== null) changed.set(workload.key, changes);
  }
  return changed;
}

/**
 * The workload with templates as their pods will be. One that was edited since it was learnt from (a fix) gets beside what it
 * says now what was added then. `intern` gives a template the number of its content.
 */
export function asAdmitted(workload: Workload, changed: ChangedOnAdmission, intern: Intern): Workload {
  const changes = changed.get(workload.key);
  if (changes === undefined) return workload;
  if (workload.kind === "LeaderWorkerSet") {
    const leaderTemplate = changedTemplate(workload.leaderTemplate, changes.template, intern);
    const workerTemplate = changedTemplate(workload.workerTemplate, changes.workerTemplate, intern);
    return { ...workload, leaderTemplate, workerTemplate };
  }
  if (!("template" in workload)) return workload;
  return { ...workload, template: changedTemplate(workload.template, changes.template, intern) };
}

/** In what pods are more than their template says, in words: `tolerations`. */
export function whatIsAdded(change: LearntChange): readonly string[] {
  return rules.filter(({ add }) => add(change.base, change) !== null).map(({ what }) => what);
}

function foundIn(workloads: ReadonlyMap<ObjectKey, Workload>, pods: readonly Pod[]): readonly Found[] {
  // Pods that are alike differ from their template alike, and most do not.
  const makers = new Map<PodKin, Maker | null>();
  const latest = new Map<ObjectKey, Found>();
  for (const pod of pods) {
    const kin = kinOf(pod);
    // One that waits may wait for what it became.
    if (pod.nodeName === "") continue;
    let maker = makers.get(kin);
    if (maker === undefined) {
      maker = changingMakerOf(kin, workloads);
      makers.set(kin, maker);
    }
    if (maker === null) continue;
    const createdAtMs = pod.createdAtMs ?? 0;
    const before = latest.get(maker.key);
    if (before !== undefined && before.createdAtMs >= createdAtMs) continue;
    const isOfSet = maker.kind === "StatefulSet";
    latest.set(maker.key, { maker, base: maker.template, became: kin.template, isOfSet, createdAtMs });
  }
  return [...latest.values()].filter((change) => whatIsAdded(change).length > 0);
}

/**
 * Who made the pod of the template it has now, where the pod is not just that; else null. A ReplicaSet that nobody owns may have been
 * edited since.
 */
function changingMakerOf(kin: PodKin, workloads: ReadonlyMap<ObjectKey, Workload>): Maker | null {
  const { owner, phase, revision, template } = kin;
  const maker = owner === null ? undefined : workloads.get(owner);
  const isMade =
    (maker?.kind === "ReplicaSet" && maker.owner !== null) ||
    maker?.kind === "Job" ||
    (maker?.kind === "StatefulSet" && revision === maker.updateRevision);
  if (!isMade || phase === "Succeeded" || phase === "Failed") return null;
  return maker.template === template ? null : maker;
}

/** Whose pods tell what becomes of whose templates. */
class Learnt {
  readonly #byMaker: ReadonlyMap<ObjectKey, Found>;
  readonly #byOwner: ReadonlyMap<ObjectKey | null, readonly Found[]>;
  /** By the LeaderWorkerSet whose workers they are. */
  readonly #ofWorkers: ReadonlyMap<ObjectKey, readonly Found[]>;

  constructor(found: readonly Found[]) {
    this.#byMaker = new Map(found.map((change) => [change.maker.key, change]));
    this.#byOwner = Map.groupBy(found, ({ maker }) => maker.owner);
    this.#ofWorkers = Map.groupBy(
      found.filter(({ maker }) => maker.owner?.startsWith("Pod./") === true),
      ({ maker: { labels, ref } }) => leaderWorkerSetKey(ref.namespace, labels.get(groupNameLabel) ?? ""),
    );
  }

  of(workload: Workload): LearntChanges {
    const { key, kind } = workload;
    const own = this.#byMaker.get(key) ?? null;
    if (kind === "Deployment") return { template: this.#ofSets(key, workload.template), workerTemplate: null };
    if (kind === "ReplicaSet")
      return { template: own ?? this.#ofSets(workload.owner, workload.template), workerTemplate: null };
    if (kind !== "LeaderWorkerSet") return { template: own, workerTemplate: null };
    return { template: newest(this.#byOwner.get(key)), workerTemplate: newest(this.#ofWorkers.get(key)) };
  }

  /** Of a Deployment's ReplicaSets: of those with this template first. */
  #ofSets(deployment: ObjectKey | null, template: PodTemplate): LearntChange | null {
    const sets = deployment === null ? [] : (this.#byOwner.get(deployment) ?? []);
    return newest(sets.filter(({ base }) => isSameContent(base, template, [templateHashLabel]))) ?? newest(sets);
  }
}

function newest(found: readonly Found[] = []): LearntChange | null {
  const [first, ...others] = found;
  if (first === undefined) return null;
  const { base, became, isOfSet } = others.reduce((a, b) => (b.createdAtMs > a.createdAtMs ? b : a), first);
  return { base, became, isOfSet };
}

function leaderWorkerSetKey(namespace: string, name: string): ObjectKey {
  return objectKey({ apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet", namespace, name });
}

function changedTemplate(template: PodTemplate, change: LearntChange | null, intern: Intern): PodTemplate {
  if (change === null) return template;
  const fields: Partial<PodTemplate> = Object.assign({}, ...rules.map(({ add }) => add(template, change)));
  return Object.keys(fields).length === 0 ? template : intern(derivedTemplate(template, [], fields));
}

interface Rule {
  readonly what: string;
  /** What a template gets beside what it says, when `base` became so; null: nothing. */
  add(template: PodTemplate, change: LearntChange): Partial<PodTemplate> | null;
}

const rules: readonly Rule[] = [
  {
    what: "scheduler",
    add: ({ schedulerName }, { base, became }) =>
      schedulerName === base.schedulerName && became.schedulerName !== schedulerName
        ? { schedulerName: became.schedulerName }
        : null,
  },
  {
    what: "tolerations",
    add: ({ tolerations }, { base, became }) => {
      const more = addedTo(tolerations, base.tolerations, became.tolerations);
      return more === null ? null : { tolerations: more };
    },
  },
  {
    what: "node selector",
    add: ({ nodeSelector }, { base, became }) => {
      const more = [...became.nodeSelector].filter(([key]) => !base.nodeSelector.has(key) && !nodeSelector.has(key));
      return more.length === 0 ? null : { nodeSelector: new Map([...nodeSelector, ...more]) };
    },
  },
  {
    what: "affinity",
    add: (template, { isOfSet, base, became }) => {
      // A set's pods may each be told of their own group (LeaderWorkerSet's exclusive placement).
      if (isOfSet || hasAffinity(template) || hasAffinity(base) || !hasAffinity(became)) return null;
      const { requiredNodeAffinity, preferredNodeAffinity, requiredPodAffinity, preferredPodAffinity } = became;
      const { requiredPodAntiAffinity, preferredPodAntiAffinity } = became;
      return {
        ...{ requiredNodeAffinity, preferredNodeAffinity, requiredPodAffinity, preferredPodAffinity },
        ...{ requiredPodAntiAffinity, preferredPodAntiAffinity },
      };
    },
  },
  {
    what: "spread",
    add: ({ topologySpread }, { isOfSet, base, became }) =>
      // A spread that was written has labels merged in as the pod is made.
      !isOfSet && topologySpread.length + base.topologySpread.length === 0
        ? orNull(became.topologySpread, { topologySpread: became.topologySpread })
        : null,
  },
  {
    what: "priority",
    add: (template, { base, became }) => {
      const { priority, priorityClassName, preemptionPolicy } = became;
      const isWritten = template.priorityClassName !== base.priorityClassName || priorityClassName === "";
      if (isWritten || (priority === template.priority && priorityClassName === template.priorityClassName))
        return null;
      return { priority, priorityClassName, preemptionPolicy };
    },
  },
  {
    what: "containers or requests",
    add: (template, { base, became }) => {
      if (!asksMore(base, became) || !isOfContainers(template, base)) return null;
      const { containers, initContainers, containerCount, initContainerCount, images, imageVolumes } = became;
      const { requests, limits, nonZeroMilliCpu, nonZeroMemoryBytes, scoredMilliCpu, scoredMemoryBytes } = became;
      const { hostPorts, runtimeClassName, statesPodLevel } = became;
      return {
        ...{ containers, initContainers, containerCount, initContainerCount, images, imageVolumes },
        ...{ requests, limits, nonZeroMilliCpu, nonZeroMemoryBytes, scoredMilliCpu, scoredMemoryBytes },
        ...{ hostPorts, runtimeClassName, statesPodLevel },
      };
    },
  },
  {
    what: "readiness gates",
    add: ({ readinessGates }, { base, became }) => {
      const more = addedTo(readinessGates, base.readinessGates, became.readinessGates);
      return more === null ? null : { readinessGates: more };
    },
  },
  {
    what: "volumes",
    add: ({ volumes }, { isOfSet, base, became }) => {
      // Those of a set's claims are named after each pod.
      const more = isOfSet ? null : addedTo(volumes, base.volumes, became.volumes);
      return more === null ? null : { volumes: more };
    },
  },
  {
    what: "grace period",
    add: ({ terminationGraceMs }, { base, became }) =>
      terminationGraceMs === base.terminationGraceMs && became.terminationGraceMs !== terminationGraceMs
        ? { terminationGraceMs: became.terminationGraceMs }
        : null,
  },
];

/** With what was added to the base; null: nothing was that is not there. */
function addedTo<T>(own: readonly T[], base: readonly T[], became: readonly T[]): readonly T[] | null {
  const more = became.filter((one) => ![...base, ...own].some((other) => sameContent(one, other)));
  return more.length === 0 ? null : [...own, ...more];
}

function hasAffinity(template: PodTemplate): boolean {
  return (
    template.requiredNodeAffinity !== null || template.preferredNodeAffinity.length > 0 || hasPodAffinity(template)
  );
}

/** Of nothing less, and of something more: one that asks for less may be older than a LimitRange. */
function asksMore(base: PodTemplate, became: PodTemplate): boolean {
  if (!isWithin(base.requests, became.requests)) return false;
  return (
    !sameResources(base.requests, became.requests) ||
    base.containerCount < became.containerCount ||
    base.initContainerCount < became.initContainerCount ||
    base.hostPorts.length < became.hostPorts.length
  );
}

function isOfContainers(template: PodTemplate, base: PodTemplate): boolean {
  return (
    template === base ||
    (sameContent(template.containers, base.containers) &&
      sameContent(template.initContainers, base.initContainers) &&
      sameResources(template.requests, base.requests))
  );
}

function orNull<T>(list: readonly unknown[], fields: T): T | null {
  return list.length === 0 ? null : fields;
}
