import type { Fields } from "../wire/fields.ts";
import { missingSelector } from "./parse-deployment.ts";
import { parseIntOrPercent } from "./parse-int-or-percent.ts";
import { type Meta, secondsField } from "./parse-meta.ts";
import { parseLabelSelector } from "./parse-selector.ts";
import { podsOfOneOwnerMax } from "./pods-max.ts";
import { type QuantityReader, wholeUnits } from "./quantity.ts";
import type { TemplatePool } from "./template-pool.ts";
import type { StatefulSet } from "./workload.ts";
import { baseOf, draftOf, parseOwnTemplate, type Unfinished, type WorkloadDraft } from "./workload-draft.ts";

export function parseStatefulSet(
  fields: Fields,
  meta: Meta,
  pool: TemplatePool,
  quantities: QuantityReader,
): WorkloadDraft {
  const spec = fields.object("spec");
  const status = fields.object("status");
  const template = parseOwnTemplate(spec.object("template"), meta, pool);
  const workload: Unfinished<StatefulSet> = {
    ...baseOf(meta),
    kind: "StatefulSet",
    replicas: spec.countUpTo("replicas", podsOfOneOwnerMax) ?? 1,
    selector: parseLabelSelector(spec, "selector") ?? missingSelector(spec),
    serviceName: spec.text("serviceName"),
    ordinalsStart: spec.object("ordinals").count("start") ?? 0,
    podManagement: spec.choice("podManagementPolicy", ["OrderedReady", "Parallel"], "OrderedReady"),
    updateStrategy: parseUpdateStrategy(spec.object("updateStrategy")),
    minReadyMs: secondsField(spec, "minReadySeconds") ?? 0,
    volumeClaimTemplates: spec.each("volumeClaimTemplates", (claim) => parseClaimTemplate(claim, quantities)),
    currentRevision: status.text("currentRevision"),
    updateRevision: status.text("updateRevision"),
    template: null,
  };
  return draftOf(workload, template, meta);
}

function parseUpdateStrategy(strategy: Fields): StatefulSet["updateStrategy"] {
  if (strategy.choice("type", ["RollingUpdate", "OnDelete"], "RollingUpdate") === "OnDelete")
    return { type: "OnDelete" };
  const rolling = strategy.object("rollingUpdate");
  return {
    type: "RollingUpdate",
    partition: rolling.count("partition") ?? 0,
    maxUnavailable: parseIntOrPercent(rolling, "maxUnavailable"),
  };
}

function parseClaimTemplate(claim: Fields, quantities: QuantityReader): StatefulSet["volumeClaimTemplates"][number] {
  const spec = claim.object("spec");
  return {
    name: claim.object("metadata").text("name"),
    storageClassName: spec.optionalText("storageClassName"),
    requestBytes: wholeUnits(quantities.amounts(spec.object("resources"), "requests").get("storage") ?? 0n),
    accessModes: spec.texts("accessModes"),
  };
}
