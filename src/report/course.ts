import { byKey } from "../base/ordering.ts";
import type { ObjectKey } from "../model/key.ts";
import { type Labels, matches } from "../model/labels.ts";
import type { ClusterView } from "../model/view.ts";
import type { Course } from "../search/judge.ts";
import { podsOf } from "../sim/monitor.ts";
import type { Fact } from "../sim/trace.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import type { Down, Drain, TimelineEvent } from "./types.ts";

/** Seconds with three decimals. */
export function milliseconds(ms: number): number {
  return Math.round(ms) / 1000;
}

export function timelineOf(course: Course): readonly TimelineEvent[] {
  return course.timeline.map(({ atMs, fact }) => ({ atSeconds: milliseconds(atMs), ...told(fact) }));
}

function told(fact: Fact) {
  if (fact.type !== "pod-created") return fact;
  const { labels: _, ...rest } = fact;
  return rest;
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

/**
 * Pods of the endpoint's path that the course names, replacements too: those of a pod's owner are of its component. Where one
 * owner makes several components, labels tell them apart.
 */
export function pathPodsOf(
  view: ClusterView,
  endpoint: Endpoint,
  course: Course,
): readonly { readonly pod: string; readonly component: string }[] {
  const components = new Map<string, string>();
  const byOwner = new Map<ObjectKey, Set<Hop>>();
  for (const hop of endpoint.hops) {
    for (const pod of podsOf(view, hop.pods)) {
      components.set(pod.key, hop.component);
      if (pod.owner !== null) byOwner.set(pod.owner, (byOwner.get(pod.owner) ?? new Set()).add(hop));
    }
  }
  const named = new Set<string>();
  for (const { fact } of course.timeline) {
    if (!("pod" in fact)) continue;
    named.add(fact.pod);
    if (fact.type !== "pod-created") continue;
    const hops = [...(byOwner.get(fact.owner) ?? [])];
    const hop = hops.length > 1 ? hops.find((one) => takes(one, fact.labels)) : hops[0];
    if (hop !== undefined) components.set(fact.pod, hop.component);
  }
  return [...components]
    .filter(([pod]) => named.has(pod))
    .map(([pod, component]) => ({ pod, component }))
    .sort(byKey(({ pod }) => pod));
}

function takes({ pods }: Hop, labels: Labels): boolean {
  return pods.by === "selector" && matches(pods.selector, labels);
}
