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
  const maxDownMs = maxDown === "" ? 0 : durationMs(maxDown);
  if (maxDownMs === null) problems.push(`${maxDownKey} is no duration such as 30s or 1m30s, so it does not count.`);
  return { minAvailable: readable ? minAvailable : "", maxDownMs: maxDownMs ?? 0, problems };
}

const unitMs: { readonly [unit: string]: number } = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A duration as Go writes it (`90s`, `1h30m`, `1.5s`), ms; null: not one. */
export function durationMs(text: string): number | null {
  if (text === "0") return 0;
  if (!/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(text)) return null;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g))
    sum += Number(amount) * (unitMs[unit ?? ""] ?? 0);
  return Math.round(sum);
}
