import type { Fields } from "../wire/fields.ts";
import type { Meta } from "./parse-meta.ts";
import type { Quota } from "./policy.ts";
import { type QuantityReader, toCounts } from "./quantity.ts";

const modelledScopes: ReadonlySet<string> = new Set([
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
  "VolumeAttributesClass",
]);

export function parseQuota(fields: Fields, meta: Meta, quantities: QuantityReader): Quota {
  const spec = fields.object("spec");
  const scopes = spec.texts("scopes");
  const selectors = spec.object("scopeSelector").objects("matchExpressions");
  const named = selectors.map((selector) => selector.text("scopeName"));
  return {
    ref: meta.ref,
    hard: toCounts(quantities.amounts(spec, "hard")),
    used: toCounts(quantities.amounts(fields.object("status"), "used")),
    scopes,
    notModelled: [
      ...scopes.filter((scope) => !modelledScopes.has(scope)),
      ...named.map((scope) => `scopeSelector ${scope}`),
    ],
    source: meta.source,
  };
}
