import type { Course } from "../search/judge.ts";
import type { Endpoint } from "../systems/endpoint.ts";
import type { Down, Drain, TimelineEvent } from "./types.ts";

/** Seconds with three decimals. */
export function milliseconds(ms: number): number {
  return Math.round(ms) / 1000;
}

export function timelineOf(course: Course): readonly TimelineEvent[] {
  return course.timeline.map(({ atMs, fact }) => ({ atSeconds: milliseconds(atMs), ...fact }));
}

export function drainsOf(course: Course): readonly Drain[] {
  return course.drains.map(({ node, outcome, fromMs, toMs, blockedBy }) => ({
    node,
    outcome,
    fromSeconds: milliseconds(fromMs),
    toSeconds: toMs === null ? null : milliseconds(toMs),
    blockedBy,
  }));
}

/** When the endpoint was down in this course. */
export function courseReport(course: Course | null, endpoint: Endpoint): readonly Down[] {
  return (course?.downs.get(endpoint) ?? []).map(({ fromMs, toMs, hop, because }) => ({
    fromSeconds: milliseconds(fromMs),
    toSeconds: toMs === null ? null : milliseconds(toMs),
    hop,
    because,
  }));
}
