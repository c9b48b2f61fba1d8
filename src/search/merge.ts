import type { EndpointOutcome, HopOutcome, Judgement } from "./judge.ts";
import { isWorse } from "./severity.ts";

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
  if (other.leansOnTime === true) into.leansOnTime = true;
}

/** Adds what each of the others says of any endpoint or hop of the whole. */
export function mergeInto(whole: Judgement, others: readonly Judgement[]): void {
  const outcomes = new Map(whole.endpoints.map((outcome) => [outcome.endpoint, outcome]));
  const hops = new Map(whole.hops.map((outcome) => [outcome.hop, outcome]));
  for (const other of others) {
    for (const outcome of other.endpoints) {
      const into = outcomes.get(outcome.endpoint);
      if (into !== undefined) mergeOutcome(into, outcome);
    }
    for (const outcome of other.hops) {
      const into = hops.get(outcome.hop);
      if (into !== undefined) mergeHop(into, outcome);
    }
  }
}

/** What is merged into one of them is not in the other. */
export function copied(judgement: Judgement): Judgement {
  return {
    ...judgement,
    endpoints: judgement.endpoints.map((outcome) => ({ ...outcome })),
    hops: judgement.hops.map((outcome) => ({ ...outcome })),
    lost: new Map(judgement.lost),
    notModelled: new Map(judgement.notModelled),
  };
}

/** What one hop went through in the courses of both. */
export function mergeHop(into: HopOutcome, other: HopOutcome): void {
  into.wasZero ||= other.wasZero;
  into.stalled ||= other.stalled;
  into.min = Math.min(into.min, other.min);
  if (other.unclear === true) into.unclear = true;
}
