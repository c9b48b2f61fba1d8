import { byCodeUnit } from "../base/ordering.ts";
import type { Source } from "../base/problem.ts";
import type { Complain, Fields } from "../wire/fields.ts";
import type { ObjectKey, ObjectRef } from "./key.ts";
import type { Labels } from "./labels.ts";
import type { Meta, OwnerReference } from "./parse-meta.ts";
import type { PodTemplate } from "./pod-template.ts";
import { lastingAnnotations, type TemplateDraft, type TemplatePool } from "./template-pool.ts";
import type { Workload, WorkloadBase } from "./workload.ts";

/** A template of a workload as written, and how to say what its admission found: in its spec, which is at this path. */
export interface OwnTemplate {
  readonly draft: TemplateDraft;
  readonly path: string;
  readonly complain: Complain;
}

/** A workload read but for what other objects decide: its owner and what admission makes of its templates. */
export interface WorkloadDraft {
  readonly ref: ObjectRef;
  readonly owner: OwnerReference | null;
  readonly source: Source;
  finish(owner: ObjectKey | null, finished: (template: OwnTemplate) => PodTemplate): Workload;
}

type OfOneTemplate = Extract<Workload, { readonly template: PodTemplate }>;

/** A workload with one template, which is to be filled in. */
export type Unfinished<T extends OfOneTemplate = OfOneTemplate> = T extends unknown
  ? Omit<T, "template"> & { readonly template: PodTemplate | null }
  : never;

export function draftOf(workload: Unfinished, template: OwnTemplate, { owner }: Meta): WorkloadDraft {
  return new OneTemplate(workload, template, owner);
}

/** An object of few fields: there are as many as workloads until the whole input is read. */
class OneTemplate implements WorkloadDraft {
  readonly owner: OwnerReference | null;
  readonly #workload: Unfinished;
  readonly #template: OwnTemplate;

  constructor(workload: Unfinished, template: OwnTemplate, owner: OwnerReference | null) {
    this.#workload = workload;
    this.#template = template;
    this.owner = owner;
  }

  get ref(): ObjectRef {
    return this.#workload.ref;
  }

  get source(): Source {
    return this.#workload.source;
  }

  /** Fills the rest in: a copy would take as long again, and leave the first one behind. */
  finish(owner: ObjectKey | null, finished: (template: OwnTemplate) => PodTemplate): Workload {
    return Object.assign(this.#workload, { owner, template: finished(this.#template) });
  }
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
  return { draft, ...spec.later() };
}

const noLabels: Labels = new Map();

function sortedLabels(entries: readonly (readonly [string, string])[]): Labels {
  return new Map([...new Map(entries)].sort((a, b) => byCodeUnit(a[0], b[0])));
}
