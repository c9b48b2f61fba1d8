import type { Fields } from "../wire/fields.ts";
import { missingSelector } from "./parse-deployment.ts";
import { type Meta, secondsField } from "./parse-meta.ts";
import { parseLabelSelector, selectorOfLabels } from "./parse-selector.ts";
import { podsOfOneOwnerMax } from "./pods-max.ts";
import type { TemplatePool } from "./template-pool.ts";
import { parseOwnTemplate, type WorkloadDraft } from "./workload-draft.ts";

export function parseReplicaSet(fields: Fields, meta: Meta, pool: TemplatePool): WorkloadDraft {
  const spec = fields.object("spec");
  const template = parseOwnTemplate(spec.object("template"), meta, pool);
  const fixed = {
    kind: "ReplicaSet",
    replicas: spec.countUpTo("replicas", podsOfOneOwnerMax) ?? 1,
    selector: parseLabelSelector(spec, "selector") ?? missingSelector(spec),
    minReadyMs: secondsField(spec, "minReadySeconds") ?? 0,
    revision: revisionOf(meta),
  } as const;
  return { meta, finish: (base, finished) => ({ ...base, ...fixed, template: finished(template) }) };
}

/** Its selector is a plain map; left out, it is the template's labels. */
export function parseReplicationController(fields: Fields, meta: Meta, pool: TemplatePool): WorkloadDraft {
  const spec = fields.object("spec");
  const template = parseOwnTemplate(spec.object("template"), meta, pool);
  const stated = spec.textMap("selector");
  const fixed = {
    kind: "ReplicationController",
    replicas: spec.countUpTo("replicas", podsOfOneOwnerMax) ?? 1,
    selector: selectorOfLabels(stated.size > 0 ? stated : template.draft.written.labels),
    minReadyMs: secondsField(spec, "minReadySeconds") ?? 0,
    revision: 0,
  } as const;
  return { meta, finish: (base, finished) => ({ ...base, ...fixed, template: finished(template) }) };
}

function revisionOf(meta: Meta): number {
  const text = meta.annotations.get("deployment.kubernetes.io/revision") ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
