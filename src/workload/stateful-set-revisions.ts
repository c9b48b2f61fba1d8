import type { PodTemplate } from "../model/pod-template.ts";
import { templateContent } from "../model/template-content.ts";
import type { ClusterView, ControllerMemory, PodView, WorkloadView } from "../model/view.ts";
import type { StatefulSet } from "../model/workload.ts";
import type { BackOff } from "./back-off.ts";

/** The two revisions a StatefulSet rolls between. */
export interface Revisions {
  /** "": the input names none; then every pod that is there counts as up to date. */
  readonly current: string;
  readonly update: string;
  readonly currentTemplate: PodTemplate;
  readonly updateTemplate: PodTemplate;
  /** Revisions made so far while playing: the next is `<set>-~n`. */
  readonly made: number;
}

export interface StatefulSetMemory extends ControllerMemory {
  readonly kind: "stateful-set";
  /** Null: as the input has it. */
  readonly revisions: Revisions | null;
  readonly backOff: BackOff | null;
}

export function statefulSetMemory({ memory }: WorkloadView): StatefulSetMemory {
  return isStatefulSetMemory(memory) ? memory : { kind: "stateful-set", revisions: null, backOff: null };
}

function isStatefulSetMemory(memory: ControllerMemory | null): memory is StatefulSetMemory {
  return memory?.kind === "stateful-set";
}

/**
 * The revisions now. A template that changed makes a new update revision, or goes back to the current one when it is that
 * one's again. `changed`: they are not what memory holds.
 * Of a rollout that was under way already the old template is not in the input (it is in a ControllerRevision): a pod that was
 * made of it tells as much, and is remembered, as it may go. Where none is left, pods below the partition are made by the new one.
 */
export function revisionsOf(
  view: Pick<ClusterView, "cluster" | "podsOwnedBy">,
  workload: WorkloadView,
  set: StatefulSet,
): { readonly revisions: Revisions; readonly changed: boolean } {
  const { revisions: remembered } = statefulSetMemory(workload);
  const read = view.cluster.workloads.get(workload.key);
  const fromInput = read?.kind === "StatefulSet" ? read : null;
  const known = remembered ?? withOldTemplate(view, workload, firstRevisions(fromInput ?? set, fromInput !== null));
  if (sameTemplate(known.updateTemplate, set.template)) {
    const isNew = fromInput === null || known.currentTemplate !== known.updateTemplate;
    return { revisions: known, changed: remembered === null && isNew };
  }
  if (sameTemplate(known.currentTemplate, set.template)) {
    return { revisions: { ...known, update: known.current, updateTemplate: set.template }, changed: true };
  }
  const made = known.made + 1;
  const update = `${set.ref.name}-~${made}`;
  return { revisions: { ...known, update, updateTemplate: set.template, made }, changed: true };
}

function firstRevisions(set: StatefulSet, fromInput: boolean): Revisions {
  const { template } = set;
  const made = fromInput ? 0 : 1;
  const update = fromInput ? set.updateRevision : `${set.ref.name}-~1`;
  const current = fromInput && set.currentRevision !== "" ? set.currentRevision : update;
  return { current, update, currentTemplate: template, updateTemplate: template, made };
}

function withOldTemplate(
  view: Pick<ClusterView, "podsOwnedBy">,
  { key }: WorkloadView,
  revisions: Revisions,
): Revisions {
  const { current, update } = revisions;
  if (current === update) return revisions;
  const old = view.podsOwnedBy(key).find(({ revision }) => revision === current);
  return old === undefined ? revisions : { ...revisions, currentTemplate: old.template };
}

/** What the pods of the current revision are made of; always, where that is the update's too. */
export function isOldKnown({ current, update, currentTemplate, updateTemplate }: Revisions): boolean {
  return current === update || currentTemplate !== updateTemplate;
}

/**
 * Below the partition a pod comes back as it was, above it as the new template has it.
 * Mirrors: pkg/controller/statefulset/stateful_set_utils.go newVersionedStatefulSetPod, 1.36.3.
 */
export function isBelowPartition({ ordinalsStart, updateStrategy }: StatefulSet, ordinal: number): boolean {
  return updateStrategy.type === "RollingUpdate" && ordinal < ordinalsStart + updateStrategy.partition;
}

/** What the set makes of a pod of its own in its place, before it gives it its name. */
export function nextOfSet(
  view: Pick<ClusterView, "cluster" | "podsOwnedBy">,
  workload: WorkloadView,
  set: StatefulSet,
  { ordinal, revision, template }: Pick<PodView, "ordinal" | "revision" | "template">,
): PodTemplate {
  if (ordinal === null || !isBelowPartition(set, ordinal)) return set.template;
  const { current, update, currentTemplate } = revisionsOf(view, workload, set).revisions;
  return revision === current && current !== update ? template : currentTemplate;
}

function sameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  return a === b || templateContent(a) === templateContent(b);
}
