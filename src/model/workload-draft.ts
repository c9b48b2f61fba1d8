import { byCodeUnit } from "../base/ordering.ts";
import type { Source } from "../base/problem.ts";
import type { Fields } from "../wire/fields.ts";
import type { ObjectKey, ObjectRef } from "./key.ts";
import type { Labels } from "./labels.ts";
import type { Meta, OwnerReference } from "./parse-meta.ts";
import type { PodTemplate } from "./pod-template.ts";
import { lastingAnnotations, type TemplateDraft, type TemplatePool } from "./template-pool.ts";
import type { Workload, WorkloadBase } from "./workload.ts";

/** A template of a workload as written, and how to say what its admission found. */
export interface OwnTemplate {
  readonly draft: TemplateDraft;
  readonly complain: (path: string, message: string) => void;
}

/** A workload read but for what other objects decide: its owner and what admission makes of its templates. */
export interface WorkloadDraft {
  readonly ref: ObjectRef;
  readonly owner: OwnerReference | null;
  readonly source: Source;
  /** Fills the rest in: a copy would take as long again, and leave the first one behind. */
  readonly finish: (owner: ObjectKey | null, finished: (template: OwnTemplate) => PodTemplate) => Workload;
}

type OfOneTemplate = Extract<Workload, { readonly template: PodTemplate }>;

/** A workload with one template, which is to be filled in. */
export type Unfinished<T extends OfOneTemplate = OfOneTemplate> = T extends unknown
  ? Omit<T, "template"> & { readonly template: PodTemplate | null }
  : never;

export function draftOf(workload: Unfinished, template: OwnTemplate, meta: Meta): WorkloadDraft {
  return {
    ref: meta.ref,
    owner: meta.owner,
    source: meta.source,
    finish: (owner, finished) => Object.assign(workload, { owner, template: finished(template) }),
  };
}

/** What all workloads have; the owner is to be filled in. */
export function baseOf(meta: Meta): WorkloadBase {
  const { ref, key, labels, annotations, createdAtMs, source } = meta;
  return { key, ref, labels, annotations, owner: null, createdAtMs, source };
}

/** A PodTemplateSpec field of a workload. Pods made from it get the workload's namespace. */
export function parseOwnTemplate(
  template: Fields,
  meta: Meta,
  pool: TemplatePool,
  added: Labels = noLabels,
): OwnTemplate {
  const metadata = template.object("metadata");
  const spec = template.object("spec");
  const labels = metadata.textMap("labels");
  const draft = pool.draft(
    template,
    {
      isPod: false,
      namespace: meta.ref.namespace,
      labels: added.size === 0 ? labels : sortedLabels([...labels, ...added]),
      annotations: lastingAnnotations(metadata.textMap("annotations")),
      admitted: false,
    },
    meta,
  );
  return { draft, complain: spec.complaints() };
}

const noLabels: Labels = new Map();

function sortedLabels(entries: readonly (readonly [string, string])[]): Labels {
  return new Map([...new Map(entries)].sort((a, b) => byCodeUnit(a[0], b[0])));
}
