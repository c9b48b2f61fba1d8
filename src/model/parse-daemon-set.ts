import type { Fields } from "../wire/fields.ts";
import { missingSelector } from "./parse-deployment.ts";
import { type Meta, secondsField } from "./parse-meta.ts";
import { parseLabelSelector } from "./parse-selector.ts";
import type { TemplatePool } from "./template-pool.ts";
import { parseOwnTemplate, type WorkloadDraft } from "./workload-draft.ts";

export function parseDaemonSet(fields: Fields, meta: Meta, pool: TemplatePool): WorkloadDraft {
  const spec = fields.object("spec");
  const template = parseOwnTemplate(spec.object("template"), meta, pool);
  const fixed = {
    kind: "DaemonSet",
    selector: parseLabelSelector(spec, "selector") ?? missingSelector(spec),
    minReadyMs: secondsField(spec, "minReadySeconds") ?? 0,
  } as const;
  return { meta, finish: (base, finished) => ({ ...base, ...fixed, template: finished(template) }) };
}
