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
  return {
    ref: meta.ref,
    hard: toCounts(quantities.amounts(spec, "hard")),
    used: toCounts(quantities.amounts(fields.object("status"), "used")),
    scopes,
    scopeSelectors: selectors.map((selector) => ({
      scope: selector.text("scopeName"),
      operator: selector.choice("operator", ["In", "NotIn", "Exists", "DoesNotExist"], "Exists"),
      values: selector.texts("values"),
    })),
    notModelled: [...scopes, ...selectors.map((selector) => selector.text("scopeName"))].filter(
      (scope) => !modelledScopes.has(scope),
    ),
    source: meta.source,
  };
}
