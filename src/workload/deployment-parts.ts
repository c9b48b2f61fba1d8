import { byCodeUnit } from "../base/ordering.ts";
import { templateHashLabel } from "../model/labels.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { isSameContent } from "../model/template-content.ts";
import type { ClusterView, Effect, PodView, WorkloadView } from "../model/view.ts";
import type { Deployment, ReplicaSet } from "../model/workload.ts";
import { rolloutRoom } from "./deployment-sizes.ts";
import { isActive, isAvailable } from "./pod-state.ts";

export const deploymentControllerName = "deployment-controller";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxAnnotation = "deployment.kubernetes.io/max-replicas";
const revisionAnnotation = "deployment.kubernetes.io/revision";

/** One ReplicaSet of a Deployment, with the counts its status would show. */
export interface RolloutPart {
  readonly view: WorkloadView;
  readonly spec: ReplicaSet;
  /** status.replicas: pods neither finished nor terminating. */
  readonly existing: number;
  readonly ready: number;
  readonly available: number;
}

/** A Deployment and its ReplicaSets, at one moment. */
export interface Rollout {
  readonly cluster: ClusterView;
  readonly workload: WorkloadView;
  readonly deployment: Deployment;
  /** Has the Deployment's own template. null: not made yet. */
  readonly current: RolloutPart | null;
  /** All others, oldest first. */
  readonly old: readonly RolloutPart[];
}

/** The oldest ReplicaSet with the Deployment's template is the current one; the hash label does not count. */
export function rolloutOf(cluster: ClusterView, workload: WorkloadView, deployment: Deployment): Rollout {
  const parts: RolloutPart[] = [];
  for (const view of cluster.workloadsOwnedBy(workload.key)) {
    if (view.spec.kind === "ReplicaSet") parts.push(partOf(cluster, view, view.spec));
  }
  parts.sort((a, b) => a.view.createdAtMs - b.view.createdAtMs || byCodeUnit(a.spec.ref.name, b.spec.ref.name));
  const isOfTemplate = (own: PodTemplate): boolean => isSameButHash(own, deployment.template);
  const current = parts.find(({ spec }) => isOfTemplate(spec.template)) ?? null;
  return { cluster, workload, deployment, current, old: parts.filter((part) => part !== current) };
}

/** Asked at every change of a set. */
function isSameButHash(own: PodTemplate, template: PodTemplate): boolean {
  const known = compared.get(own);
  if (known?.template === template) return known.isSame;
  const isSame = isSameContent(own, template, [templateHashLabel]);
  compared.set(own, { template, isSame });
  return isSame;
}

/** A set's template, and its Deployment's that it was held against last. */
const compared = new WeakMap<PodTemplate, { readonly template: PodTemplate; readonly isSame: boolean }>();

function partOf(cluster: ClusterView, view: WorkloadView, spec: ReplicaSet): RolloutPart {
  const { active, ready } = cluster.podCounts(view.key);
  const { minReadyMs } = spec;
  // Without minReadySeconds what is ready is available.
  const available =
    minReadyMs === 0
      ? ready
      : activePods(cluster, view).filter((pod) => isAvailable(pod, minReadyMs, cluster.nowMs)).length;
  return { view, spec, existing: active, ready, available };
}

export function activePods(cluster: ClusterView, { key }: WorkloadView): readonly PodView[] {
  return cluster.podsOwnedBy(key).filter(isActive);
}

/** Old and current, oldest old first, current last. */
export function allParts({ old, current }: Rollout): readonly RolloutPart[] {
  return current === null ? old : [...old, current];
}

export function sum(parts: readonly RolloutPart[], count: (part: RolloutPart) => number): number {
  return parts.reduce((total, part) => total + count(part), 0);
}

export function wantedReplicas(part: RolloutPart): number {
  return part.spec.replicas;
}

/** Sets a ReplicaSet's size and the two annotations that tell scaling from rolling. */
export function scaled(rollout: Rollout, part: RolloutPart, replicas: number): Effect {
  const annotations = new Map([...part.spec.annotations, ...replicaAnnotations(rollout.deployment)]);
  return {
    do: "setSpec",
    workload: part.view.key,
    spec: { ...part.spec, replicas, annotations },
    by: deploymentControllerName,
  };
}

export function replicaAnnotations(deployment: Deployment): readonly (readonly [string, string])[] {
  const { maxSurge } = rolloutRoom(deployment);
  return [
    [desiredAnnotation, String(deployment.replicas)],
    [maxAnnotation, String(deployment.replicas + maxSurge)],
  ];
}

export function revisionAnnotated(revision: number): readonly [string, string] {
  return [revisionAnnotation, String(revision)];
}

export function annotationsAreCurrent(deployment: Deployment, { spec }: RolloutPart): boolean {
  return replicaAnnotations(deployment).every(([key, value]) => spec.annotations.get(key) === value);
}

/** Null: missing, or not a whole number. */
export function desiredReplicasOf({ spec }: RolloutPart): number | null {
  return wholeNumber(spec.annotations.get(desiredAnnotation));
}

export function maxReplicasOf({ spec }: RolloutPart): number | null {
  return wholeNumber(spec.annotations.get(maxAnnotation));
}

function wholeNumber(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return null;
  const value = Number(text);
  return value <= 2_147_483_647 ? value : null;
}
