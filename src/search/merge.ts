import type { EndpointOutcome } from "./judge.ts";

const verdicts = ["safe", "undecided", "stalls", "unsafe"] as const;

export function isWorse(a: EndpointOutcome["verdict"], b: EndpointOutcome["verdict"]): boolean {
  return verdicts.indexOf(a) > verdicts.indexOf(b);
}

/** Of two courses that are equally bad the one that is down longer is shown. */
export function isLonger(a: EndpointOutcome, b: EndpointOutcome): boolean {
  return (a.downMostMs ?? Number.POSITIVE_INFINITY) > (b.downMostMs ?? Number.POSITIVE_INFINITY);
}

/** The worse of two outcomes of one endpoint. */
export function mergeOutcome(into: EndpointOutcome, other: EndpointOutcome): void {
  if (isWorse(other.verdict, into.verdict) || (other.verdict === into.verdict && isLonger(other, into))) {
    into.verdict = other.verdict;
    into.course = other.course;
  }
  into.minCapacity = Math.min(into.minCapacity, other.minCapacity);
  if (into.downLeastMs !== null && other.downLeastMs !== null)
    into.downLeastMs = Math.min(into.downLeastMs, other.downLeastMs);
  else into.downLeastMs ??= other.downLeastMs;
  into.downMostMs =
    into.downMostMs === null || other.downMostMs === null ? null : Math.max(into.downMostMs, other.downMostMs);
}
