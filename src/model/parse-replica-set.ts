import type { Fields } from "../wire/fields.ts";
import { missingSelector } from "./parse-deployment.ts";
import { type Meta, secondsField } from "./parse-meta.ts";
import { parseLabelSelector, selectorOfLabels } from "./parse-selector.ts";
import { podsOfOneOwnerMax } from "./pods-max.ts";
import type { TemplatePool } from "./template-pool.ts";
import type { ReplicaSet } from "./workload.ts";
import { baseOf, draftOf, parseOwnTemplate, type Unfinished, type WorkloadDraft } from "./workload-draft.ts";

export function parseReplicaSet(fields: Fields, meta: Meta, pool: TemplatePool): WorkloadDraft {
  const spec = fields.object("spec");
  const template = parseOwnTemplate(spec.object("template"), meta, pool);
  const workload: Unfinished<ReplicaSet> = {
    // Field by field: a copy of what all workloads have takes many times as long, and these are the most.
    key: meta.key,
    ref: meta.ref,
    labels: meta.labels,
    annotations: meta.annotations,
    owner: null,
    createdAtMs: meta.createdAtMs,
    source: meta.source,
    kind: "ReplicaSet",
    replicas: spec.countUpTo("replicas", podsOfOneOwnerMax) ?? 1,
    selector: parseLabelSelector(spec, "selector") ?? missingSelector(spec),
    minReadyMs: secondsField(spec, "minReadySeconds") ?? 0,
    revision: revisionOf(meta),
    template: null,
  };
  return draftOf(workload, template, meta);
}

/** Its selector is a plain map; left out, it is the template's labels. */
export function parseReplicationController(fields: Fields, meta: Meta, pool: TemplatePool): WorkloadDraft {
  const spec = fields.object("spec");
  const template = parseOwnTemplate(spec.object("template"), meta, pool);
  const stated = spec.textMap("selector");
  const workload: Unfinished<ReplicaSet> = {
    ...baseOf(meta),
    kind: "ReplicationController",
    replicas: spec.countUpTo("replicas", podsOfOneOwnerMax) ?? 1,
    selector: selectorOfLabels(stated.size > 0 ? stated : template.draft.written.labels),
    minReadyMs: secondsField(spec, "minReadySeconds") ?? 0,
    revision: 0,
    template: null,
  };
  return draftOf(workload, template, meta);
}

function revisionOf(meta: Meta): number {
  const text = meta.annotations.get("deployment.kubernetes.io/revision") ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
