import type { PodTemplate } from "../model/pod-template.ts";
import { templateContent } from "../model/template-content.ts";
import type { ClusterView, ControllerMemory, WorkloadView } from "../model/view.ts";
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
 * Old templates are not in the input (they are in ControllerRevisions): in a rollout that was under way already, pods
 * below the partition are made again by the new template.
 */
export function revisionsOf(
  view: ClusterView,
  workload: WorkloadView,
  set: StatefulSet,
): { readonly revisions: Revisions; readonly changed: boolean } {
  const { revisions: remembered } = statefulSetMemory(workload);
  const read = view.cluster.workloads.get(workload.key);
  const fromInput = read?.kind === "StatefulSet" ? read : null;
  const known = remembered ?? firstRevisions(fromInput ?? set, fromInput !== null);
  if (sameTemplate(known.updateTemplate, set.template)) {
    return { revisions: known, changed: remembered === null && fromInput === null };
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

function sameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  return a === b || templateContent(a) === templateContent(b);
}
