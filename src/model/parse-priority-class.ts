import type { Fields } from "../wire/fields.ts";
import type { RuntimeClass } from "./admission.ts";
import type { Meta } from "./parse-meta.ts";
import { parsePreemptionPolicy } from "./parse-pod-spec.ts";
import { parseToleration } from "./parse-toleration.ts";
import type { PriorityClass } from "./policy.ts";
import type { QuantityReader } from "./quantity.ts";

export function parsePriorityClass(fields: Fields, meta: Meta): PriorityClass {
  return {
    name: meta.ref.name,
    value: fields.whole("value") ?? 0,
    globalDefault: fields.flag("globalDefault"),
    preemptionPolicy: parsePreemptionPolicy(fields),
  };
}

/** The two classes every cluster has, whether the input shows them or not. */
export const builtInPriorityClasses: readonly PriorityClass[] = [
  {
    name: "system-cluster-critical",
    value: 2_000_000_000,
    globalDefault: false,
    preemptionPolicy: "PreemptLowerPriority",
  },
  {
    name: "system-node-critical",
    value: 2_000_001_000,
    globalDefault: false,
    preemptionPolicy: "PreemptLowerPriority",
  },
];

export function parseRuntimeClass(fields: Fields, quantities: QuantityReader): RuntimeClass {
  const scheduling = fields.object("scheduling");
  return {
    overhead: quantities.amounts(fields.object("overhead"), "podFixed"),
    nodeSelector: scheduling.textMap("nodeSelector"),
    tolerations: scheduling.each("tolerations", parseToleration),
  };
}
