import { parseDuration } from "../base/duration.ts";
import type { Labels } from "../model/labels.ts";

export interface Limits {
  /** As written; "" none, or not readable. */
  readonly minAvailable: string;
  readonly maxDownMs: number;
  readonly problems: readonly string[];
}

const minAvailableKey = "holdfast.dev/min-available";
const maxDownKey = "holdfast.dev/max-down";

/** The floor a person wrote on the endpoint: of several objects, the first that has the annotation counts. */
export function limitsOf(places: readonly Labels[]): Limits {
  const problems: string[] = [];
  const first = (key: string): string => places.find((labels) => labels.has(key))?.get(key) ?? "";
  const minAvailable = first(minAvailableKey);
  const readable = /^\d+%?$/.test(minAvailable);
  if (minAvailable !== "" && !readable)
    problems.push(`${minAvailableKey} is neither a number nor a percentage, so it does not count.`);
  const maxDown = first(maxDownKey);
  const maxDownMs = maxDown === "" ? 0 : parseDuration(maxDown);
  if (maxDownMs === null) problems.push(`${maxDownKey} is no duration such as 30s or 1m30s, so it does not count.`);
  return { minAvailable: readable ? minAvailable : "", maxDownMs: maxDownMs ?? 0, problems };
}
