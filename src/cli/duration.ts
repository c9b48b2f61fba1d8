import { parseDuration } from "../base/duration.ts";
import type { Span } from "../sim/scenario.ts";

/** A duration, or a range of two: `20s..90s`. Null when it is none, or the range runs backwards. */
export function parseSpan(text: string): Span | null {
  const [least = "", most = least, ...more] = text.split("..");
  const leastMs = parseDuration(least);
  const mostMs = parseDuration(most);
  if (more.length > 0 || leastMs === null || mostMs === null || mostMs < leastMs) return null;
  return { leastMs, mostMs };
}
