import type { Fields } from "../wire/fields.ts";
import { missingSelector } from "./parse-deployment.ts";
import { parseIntOrPercent } from "./parse-int-or-percent.ts";
import { type Meta, secondsField } from "./parse-meta.ts";
import { parseLabelSelector } from "./parse-selector.ts";
import type { TemplatePool } from "./template-pool.ts";
import type { DaemonSet } from "./workload.ts";
import { baseOf, draftOf, parseOwnTemplate, type Unfinished, type WorkloadDraft } from "./workload-draft.ts";

export function parseDaemonSet(fields: Fields, meta: Meta, pool: TemplatePool): WorkloadDraft {
  const spec = fields.object("spec");
  const template = parseOwnTemplate(spec.object("template"), meta, pool);
  const workload: Unfinished<DaemonSet> = {
    ...baseOf(meta),
    kind: "DaemonSet",
    selector: parseLabelSelector(spec, "selector") ?? missingSelector(spec),
    minReadyMs: secondsField(spec, "minReadySeconds") ?? 0,
    updateStrategy: parseUpdateStrategy(spec.object("updateStrategy")),
    template: null,
  };
  return draftOf(workload, template, meta);
}

function parseUpdateStrategy(strategy: Fields): DaemonSet["updateStrategy"] {
  if (strategy.choice("type", ["RollingUpdate", "OnDelete"], "RollingUpdate") === "OnDelete")
    return { type: "OnDelete" };
  const rolling = strategy.object("rollingUpdate");
  return {
    type: "RollingUpdate",
    maxUnavailable: parseIntOrPercent(rolling, "maxUnavailable") ?? { percent: false, value: 1 },
    maxSurge: parseIntOrPercent(rolling, "maxSurge") ?? { percent: false, value: 0 },
  };
}
