import { byCodeUnit } from "../base/ordering.ts";
import type { Source } from "../base/problem.ts";
import type { Snapshot } from "../wire/snapshot.ts";
import {
  type AdmissionContext,
  type Admitted,
  type ContainerDefaults,
  resizedNonZero,
  resizedRequests,
} from "./admission.ts";
import { asAdmitted, learntFrom } from "./changed-on-admission.ts";
import type { Cluster, Namespace, OtherObject } from "./cluster.ts";
import type { Devices } from "./device.ts";
import type { Gathering, Owned } from "./gathering.ts";
import { impliedReplicaSets } from "./implied-replica-sets.ts";
import { namespacedName, type ObjectKey, type ObjectRef } from "./key.ts";
import { otherOwners } from "./other-owners.ts";
import { cutOwnerCycles } from "./owner-cycles.ts";
import type { OwnedObject, Owners } from "./owners.ts";
import type { OwnerReference } from "./parse-meta.ts";
import type { KinDraft } from "./parse-pod.ts";
import { builtInPriorityClasses } from "./parse-priority-class.ts";
import type { Pod } from "./pod.ts";
import { ColumnPod, type PodKin } from "./pod-columns.ts";
import type { ReportedResources, Summed } from "./pod-requests.ts";
import type { PodTemplate } from "./pod-template.ts";
import { podsNotSeen } from "./pods-not-seen.ts";
import type { PriorityClass } from "./policy.ts";
import type { Storage } from "./storage.ts";
import { modelVersion } from "./version.ts";
import type { Workload } from "./workload.ts";
import type { WorkloadDraft } from "./workload-draft.ts";

interface Everything {
  readonly snapshot: Snapshot;
  readonly gathered: Gathering;
  readonly owners: Owners;
  /** Secrets that came as far as the model. */
  readonly secretsDropped: number;
}

/** Makes the cluster of what one pass gathered: owners, admission defaults and version need the whole input. */
export function assembleCluster({ snapshot, gathered, owners, secretsDropped }: Everything): Cluster {
  const nodes = [...gathered.nodes.values()];
  const version = modelVersion(snapshot.serverVersion, nodes);
  const context: AdmissionContext = {
    minor: version.minor,
    priorityClasses: priorityClassesOf(gathered),
    limitRanges: limitRangesOf(gathered),
    runtimeClasses: gathered.runtimeClasses,
  };
  const assembling: Assembling = { gathered, owners, context };
  const pods = finishPods(assembling);
  const modelled = finishWorkloads(assembling);
  const others = othersOf(assembling);
  const intern = (template: PodTemplate): PodTemplate => gathered.pool.intern(template);
  const workloads = new Map<ObjectKey, Workload>();
  for (const workload of modelled) workloads.set(workload.key, workload);
  for (const workload of impliedReplicaSets(workloads, pods, intern)) workloads.set(workload.key, workload);
  const changedOnAdmission = learntFrom(workloads, pods);
  for (const key of changedOnAdmission.keys()) {
    const workload = workloads.get(key);
    if (workload !== undefined) workloads.set(key, asAdmitted(workload, changedOnAdmission, intern));
  }
  for (const owner of otherOwners({ workloads, pods, others, owners, scalePaths: gathered.scalePaths })) {
    workloads.set(owner.key, owner);
  }
  cutOwnerCycles(workloads, pods, gathered.problems);
  return {
    version,
    namespaces: namespacesOf(gathered, pods, modelled),
    nodes,
    pods,
    templateCount: gathered.pool.templates.count,
    workloads,
    changedOnAdmission,
    services: [...gathered.services.values()],
    budgets: withOwners(gathered.budgets, owners),
    autoscalers: withOwners(gathered.autoscalers, owners),
    quotas: [...gathered.quotas.values()],
    limitRanges: [...gathered.limitRanges.values()].map((each) => each.range),
    webhooks: [...gathered.webhooks.values()].flat(),
    priorityClasses: context.priorityClasses,
    storage: storageOf(gathered),
    devices: devicesOf(gathered),
    others,
    problems: [...snapshot.problems, ...gathered.problems],
    notSeen: [...snapshot.notSeen, ...podsNotSeen({ nodes, pods }, gathered.running)],
    secretsDropped: snapshot.secretsDropped + secretsDropped,
  };
}

interface Assembling {
  readonly gathered: Gathering;
  readonly owners: Owners;
  readonly context: AdmissionContext;
}

function finishPods(assembling: Assembling): readonly Pod[] {
  const { pods, pool, problems } = assembling.gathered;
  const { columns } = pods;
  const kins: FinishedKin[] = [];
  // So long from the beginning: a list that grows leaves its former ones behind.
  return Array.from({ length: columns.count }, (_, place) => {
    const number = columns.kinNumberAt(place);
    let kin = kins[number];
    const isFirst = kin === undefined;
    kin ??= finishKin(pods.takeKin(number), assembling);
    kins[number] = kin;
    for (const [path, message] of kin.problems) {
      problems.push({ ...columns.sourceAt(place), path: `spec.${path}`, message });
    }
    if (isFirst || kin.isOwnerForeign) resolveOwner(kin, place, assembling);
    if (kin.node !== null) {
      columns.putTemplate(place, pool.templates.naming(kin.parts.template, pods.ownNodeAt(place) || kin.node));
    }
    return new ColumnPod(columns, place, kin.parts);
  });
}

interface FinishedKin {
  readonly parts: PodKin;
  /** The node that the first one's template names; null: they name none. */
  readonly node: string | null;
  readonly problems: Admitted["problems"];
  readonly owner: OwnerReference | null;
  readonly isOwnerForeign: boolean;
}

/** Fills in what the whole input decides. */
function finishKin(draft: KinDraft, { gathered, owners, context }: Assembling): FinishedKin {
  const { form, node, summed, problems } = gathered.pool.finish(draft.template, context);
  const owner = owners.find(draft.owner, draft.parts.namespace);
  const { requests, nonZeroMilliCpu, nonZeroMemoryBytes } = countedOf(form, summed, draft.reported, context);
  const late = { template: form, owner, requests, nonZeroMilliCpu, nonZeroMemoryBytes };
  const parts: PodKin = Object.assign(draft.parts, late);
  const isOwnerForeign = draft.owner !== null && owner !== null && owners.isForeign(draft.owner, owner);
  return { parts, node, problems, owner: draft.owner, isOwnerForeign };
}

/** What the scheduler counts for such a pod now. */
function countedOf(
  template: PodTemplate,
  summed: Summed,
  reported: ReportedResources | null,
  { minor }: AdmissionContext,
): Pick<Pod, "requests" | "nonZeroMilliCpu" | "nonZeroMemoryBytes"> {
  if (reported !== null) {
    return { requests: resizedRequests(summed, minor, reported), ...resizedNonZero(summed, minor, reported) };
  }
  return template;
}

/** Says what is wrong with the owner; pods that are alike have the same one. */
function resolveOwner({ owner, parts }: FinishedKin, place: number, { gathered, owners }: Assembling): void {
  const { columns } = gathered.pods;
  const { namespace } = parts;
  owners.resolve(owner, { namespace, label: `Pod ${columns.keyAt(place)}`, source: columns.sourceAt(place) });
}

/** Drafts are let go one by one: they take more room than what becomes of them. */
function finishWorkloads(assembling: Assembling): readonly Workload[] {
  const { workloads } = assembling.gathered;
  const finished: Workload[] = [];
  for (const [key, draft] of workloads) {
    finished.push(finishWorkload(draft, assembling));
    workloads.delete(key);
  }
  return finished;
}

function finishWorkload(draft: WorkloadDraft, { gathered, owners, context }: Assembling): Workload {
  const owner = owners.resolve(draft.owner, ownedBy(draft.ref, draft.source));
  return draft.finish(owner, (own) => {
    const made = gathered.pool.finish(own.draft, context);
    for (const [path, message] of made.problems) own.complain(`${own.path}.${path}`, message);
    return gathered.pool.templateOf(made);
  });
}

function ownedBy(ref: ObjectRef, source: Source): OwnedObject {
  return { namespace: ref.namespace, label: `${ref.kind} ${namespacedName(ref.namespace, ref.name)}`, source };
}

/** Nothing hangs on whether the owner of a budget or an autoscaler is in the input. */
function withOwners<T extends { readonly ref: ObjectRef }>(
  owned: ReadonlyMap<ObjectKey, Owned<T>>,
  owners: Owners,
): readonly (T & { readonly owner: ObjectKey | null })[] {
  return [...owned.values()].map(({ value, owner }) => ({ ...value, owner: owners.find(owner, value.ref.namespace) }));
}

function othersOf({ gathered, owners }: Assembling): ReadonlyMap<ObjectKey, OtherObject> {
  const others = new Map<ObjectKey, OtherObject>();
  for (const other of withOwners(gathered.others, owners)) others.set(other.key, other);
  return others;
}

function priorityClassesOf(gathered: Gathering): ReadonlyMap<string, PriorityClass> {
  return byName([...builtInPriorityClasses, ...gathered.priorityClasses.values()]);
}

function limitRangesOf(gathered: Gathering): ReadonlyMap<string, readonly ContainerDefaults[]> {
  const ranges = new Map<string, ContainerDefaults[]>();
  for (const { range, defaults } of gathered.limitRanges.values()) {
    const known = ranges.get(range.ref.namespace);
    if (known === undefined) ranges.set(range.ref.namespace, [defaults]);
    else known.push(defaults);
  }
  return ranges;
}

/** Namespaces that pods and workloads are in exist, whether the input shows them or not. */
function namespacesOf(
  gathered: Gathering,
  pods: readonly Pod[],
  workloads: readonly Workload[],
): ReadonlyMap<string, Namespace> {
  const namespaces = new Map<string, Namespace>();
  for (const namespace of gathered.namespaces.values()) namespaces.set(namespace.name, namespace);
  const named = new Set<string>();
  for (const pod of pods) named.add(pod.namespace);
  for (const workload of workloads) named.add(workload.ref.namespace);
  for (const name of [...named].sort(byCodeUnit)) {
    if (namespaces.has(name) || name === "") continue;
    const labels = new Map([["kubernetes.io/metadata.name", name]]);
    namespaces.set(name, { name, labels, terminating: false });
  }
  return namespaces;
}

function storageOf(gathered: Gathering): Storage {
  return {
    volumes: byName(gathered.volumes.values()),
    claims: byNamespacedName(gathered.volumeClaims.values()),
    classes: byName(gathered.storageClasses.values()),
    csiNodes: byName(gathered.csiNodes.values()),
    csiDrivers: byName(gathered.csiDrivers.values()),
    capacities: [...gathered.capacities.values()],
    attachments: [...gathered.attachments.values()],
  };
}

function devicesOf(gathered: Gathering): Devices {
  return {
    slices: [...gathered.slices.values()],
    classes: byName(gathered.deviceClasses.values()),
    claims: byNamespacedName(gathered.resourceClaims.values()),
    claimTemplates: byNamespacedName(gathered.claimTemplates.values()),
    taintRules: [...gathered.taintRules.values()],
  };
}

function byName<T extends { readonly name: string }>(items: Iterable<T>): ReadonlyMap<string, T> {
  const map = new Map<string, T>();
  for (const item of items) map.set(item.name, item);
  return map;
}

function byNamespacedName<T extends { readonly namespace: string; readonly name: string }>(
  items: Iterable<T>,
): ReadonlyMap<string, T> {
  const map = new Map<string, T>();
  for (const item of items) map.set(namespacedName(item.namespace, item.name), item);
  return map;
}
