import type { ScenarioTiming, Span } from "../sim/scenario.ts";
import { durationOf, entriesOf, type Field, fieldsOf, spanOf } from "./fields.ts";

export const noTiming: ScenarioTiming = {
  nodeDown: null,
  podStart: [],
  podReady: [],
  podStop: [],
  drainTimeoutMs: null,
  retryMs: null,
};

/** `timing:` of a scenario or of the configuration. */
export function timingOf(field: Field | undefined): ScenarioTiming {
  if (field === undefined) return noTiming;
  const fields = fieldsOf(field, ["nodeDown", "podStart", "podReady", "podStop", "drainTimeout", "retry"]);
  return {
    nodeDown: spanOf(fields.get("nodeDown")),
    podStart: patternsOf(fields.get("podStart")),
    podReady: patternsOf(fields.get("podReady")),
    podStop: patternsOf(fields.get("podStop")),
    drainTimeoutMs: durationOf(fields.get("drainTimeout")),
    retryMs: durationOf(fields.get("retry")),
  };
}

function patternsOf(field: Field | undefined): readonly { readonly pattern: string; readonly span: Span }[] {
  return entriesOf(field).flatMap(([pattern, value]) => {
    const span = spanOf(value);
    return span === null ? [] : [{ pattern, span }];
  });
}
