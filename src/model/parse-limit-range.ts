import type { Fields } from "../wire/fields.ts";
import type { ContainerDefaults } from "./admission.ts";
import type { Meta } from "./parse-meta.ts";
import type { LimitRange, SizeBounds } from "./policy.ts";
import { type Amounts, type Quantity, type QuantityReader, toCounts } from "./quantity.ts";

/**
 * Container defaults of a LimitRange, with what the API server derives: a missing default limit is the maximum, a
 * missing default request is the default limit, else the minimum.
 * Mirrors: pkg/apis/core/v1 SetDefaults_LimitRangeItem, 1.36.
 */
export function parseLimitRange(
  fields: Fields,
  meta: Meta,
  quantities: QuantityReader,
): { readonly range: LimitRange; readonly defaults: ContainerDefaults } {
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  const bounds: SizeBounds[] = [];
  for (const item of fields.object("spec").objects("limits")) {
    const of = item.text("type");
    const [min, max] = [toCounts(quantities.amounts(item, "min")), toCounts(quantities.amounts(item, "max"))];
    if (of === "Container" || of === "Pod") bounds.push({ of, min, max });
    if (of !== "Container") continue;
    const itemLimits = merged(quantities.amounts(item, "default"), quantities.amounts(item, "max"));
    const itemRequests = merged(
      merged(quantities.amounts(item, "defaultRequest"), itemLimits),
      quantities.amounts(item, "min"),
    );
    for (const [name, amount] of itemLimits) limits.set(name, amount);
    for (const [name, amount] of itemRequests) requests.set(name, amount);
  }
  return {
    range: {
      ref: meta.ref,
      source: meta.source,
      defaultRequests: toCounts(requests),
      defaultLimits: toCounts(limits),
      bounds,
    },
    defaults: { requests, limits },
  };
}

function merged(first: Amounts, fallback: Amounts): Amounts {
  const result = new Map(first);
  for (const [name, amount] of fallback) if (!result.has(name)) result.set(name, amount);
  return result;
}
