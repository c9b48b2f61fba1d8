import { byKey } from "../base/ordering.ts";
import type { ObjectKey } from "../model/key.ts";
import type { ClusterView } from "../model/view.ts";
import type { Course } from "../search/judge.ts";
import { podsOf } from "../sim/monitor.ts";
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

/** Pods of the endpoint's path that the course names, replacements too: those of a pod's owner are of its component. */
export function pathPodsOf(
  view: ClusterView,
  endpoint: Endpoint,
  course: Course,
): readonly { readonly pod: string; readonly component: string }[] {
  const components = new Map<string, string>();
  const byOwner = new Map<ObjectKey, string>();
  for (const hop of endpoint.hops) {
    for (const pod of podsOf(view, hop.pods)) {
      components.set(pod.key, hop.component);
      if (pod.owner !== null) byOwner.set(pod.owner, hop.component);
    }
  }
  const named = new Set<string>();
  for (const { fact } of course.timeline) {
    if (!("pod" in fact)) continue;
    named.add(fact.pod);
    const component = fact.type === "pod-created" ? byOwner.get(fact.owner) : undefined;
    if (component !== undefined) components.set(fact.pod, component);
  }
  return [...components]
    .filter(([pod]) => named.has(pod))
    .map(([pod, component]) => ({ pod, component }))
    .sort(byKey(({ pod }) => pod));
}
