import type { PodTemplate } from "../../model/pod-template.ts";
import type { Resources } from "../../model/resources.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { isTerminal } from "../../workload/pod-state.ts";
import { nextOf, staysPut } from "../owners.ts";

/** Pods that go to the same places and take the same, now and when they are made again. */
export interface Kind {
  readonly now: PodTemplate;
  readonly next: PodTemplate;
  /** What one asks for now, or what its next one will if that is more. */
  readonly requests: Resources;
  /** They never leave their nodes. */
  readonly stays: boolean;
  readonly pods: readonly PodView[];
}

/** Pods that stand there, and those that DaemonSets are still to make, each where it is. */
export function kindsOf(view: ClusterView, coming: readonly PodView[]): readonly Kind[] {
  const kinds: (Kind & { readonly pods: PodView[]; readonly own: Resources })[] = [];
  const byTemplate = new Map<PodTemplate, typeof kinds>();
  const add = (pod: PodView, now: PodTemplate, next: PodTemplate): void => {
    const stays = staysPut(view, pod);
    const alike = byTemplate.get(now) ?? [];
    if (alike.length === 0) byTemplate.set(now, alike);
    const known = alike.find((kind) => kind.next === next && kind.own === pod.requests && kind.stays === stays);
    if (known !== undefined) {
      known.pods.push(pod);
      return;
    }
    const kind = { now, next, requests: most(pod.requests, next.requests), own: pod.requests, stays, pods: [pod] };
    alike.push(kind);
    kinds.push(kind);
  };
  for (const pod of view.pods) if (!isTerminal(pod)) add(pod, pod.template, nextOf(view, pod));
  for (const pod of coming) {
    // Each of these is of a template of its own, that says its node.
    const next = nextOf(view, pod);
    if (!isTerminal(pod)) add(pod, next, next);
  }
  return kinds;
}

/** The same, where what does not move stays where it is. */
export function keptIn(kinds: readonly Kind[], moves: (pod: PodView) => boolean): readonly Kind[] {
  return kinds.flatMap((kind) => {
    if (kind.stays) return [kind];
    const { moving = [], kept = [] } = Object.groupBy(kind.pods, (pod) => (moves(pod) ? "moving" : "kept"));
    if (kept.length === 0) return [kind];
    const stay: Kind = { ...kind, stays: true, pods: kept };
    return moving.length === 0 ? [stay] : [{ ...kind, pods: moving }, stay];
  });
}

/** What it asks for now, or what its next one will if that is more. */
export function requestsOf(view: ClusterView, pod: PodView): Resources {
  return most(pod.requests, nextOf(view, pod).requests);
}

function most(a: Resources, b: Resources): Resources {
  if (a === b) return a;
  const scalar = new Map(a.scalar);
  for (const [name, amount] of b.scalar) scalar.set(name, Math.max(amount, scalar.get(name) ?? 0));
  return {
    milliCpu: Math.max(a.milliCpu, b.milliCpu),
    memoryBytes: Math.max(a.memoryBytes, b.memoryBytes),
    ephemeralStorageBytes: Math.max(a.ephemeralStorageBytes, b.ephemeralStorageBytes),
    scalar,
  };
}
