import type { Cluster } from "../../model/cluster.ts";
import type { ObjectKey, ObjectRef } from "../../model/key.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { OtherOwner } from "../../model/workload.ts";
import type { ObjectChange } from "../../sim/object-change.ts";
import type { Fields } from "../../wire/fields.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import type { Aspect, Edit } from "../edit.ts";

/** An owner whose operator makes pods itself, before and after edits of it. */
export interface EditedKeeper {
  readonly cluster: Cluster;
  readonly key: ObjectKey;
  readonly ref: ObjectRef;
  readonly before: WireObject;
  readonly after: WireObject;
  /** Edits of this object. */
  readonly edits: readonly Edit[];
  /** The template of pods as they are, with what this template of the owner's says about some aspects. */
  retemplated(template: PodTemplate, written: Fields, aspects: ReadonlySet<Aspect>): PodTemplate;
}

/** What the operator does about the edits. */
export interface KeptPlay {
  readonly changes: readonly ObjectChange[];
  readonly rolled: readonly ObjectKey[];
  readonly moves: readonly KeptMove[];
}

/** A whole second set of pods that takes over once all of it is ready: the first one goes then. */
export interface KeptMove {
  readonly owner: ObjectKey;
  readonly from: ObjectKey;
  readonly to: ObjectRef;
}

/** Nothing that is known: then nothing is proved by it either. */
export const noPlay: KeptPlay = { changes: [], rolled: [], moves: [] };

/** What marks pods made of an edited template. */
export const edited = "edited";

/** What is edited of the template that stands at this path. */
export function aspectsBelow(edits: readonly Edit[], path: string): ReadonlySet<Aspect> {
  return new Set(
    edits.flatMap(({ act, aspect }) =>
      act.do === "set" && act.fields.some((field) => field.path.startsWith(`${path}.`)) ? [aspect] : [],
    ),
  );
}

export function otherOwner(cluster: Cluster, key: ObjectKey): OtherOwner | null {
  const workload = cluster.workloads.get(key);
  return workload?.kind === "Other" ? workload : null;
}

/** The template of a pod of these owners that carries a label. */
export function templateWith(
  { pods }: Cluster,
  owners: ReadonlySet<ObjectKey>,
  label: { readonly label: string; readonly value: string },
): PodTemplate | null {
  const found = pods.find(
    ({ owner, template }) => owner !== null && owners.has(owner) && template.labels.get(label.label) === label.value,
  );
  return found?.template ?? null;
}
