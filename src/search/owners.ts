import { type ObjectKey, podOfKey } from "../model/key.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { ownerAbove, podObjectKey } from "../workload/garbage-collector.ts";
import { nextOfSet } from "../workload/stateful-set-revisions.ts";

/** What the pod's owner makes its next pod of. */
export function nextOf(
  view: Pick<ClusterView, "cluster" | "workload" | "podsOwnedBy">,
  pod: Pick<PodView, "owner" | "template" | "ordinal" | "revision">,
): PodTemplate {
  const workload = pod.owner === null ? undefined : view.workload(pod.owner);
  if (workload === undefined) return pod.template;
  const { spec } = workload;
  if (spec.kind === "StatefulSet") return nextOfSet(view, workload, spec, pod);
  return "template" in spec ? spec.template : pod.template;
}

/** What pods are made of, and what follows them. */
export function templatesOf(view: ClusterView, pods: readonly PodView[]): ReadonlySet<PodTemplate> {
  return new Set(pods.flatMap((pod) => [pod.template, nextOf(view, pod)]));
}

/** Made for its node: another comes with another node. */
export function isDaemon(view: Pick<ClusterView, "workload">, { owner }: Pick<PodView, "owner">): boolean {
  // Asked of every pod of a cluster: most need not be looked up.
  return owner?.startsWith("DaemonSet.") === true && view.workload(owner)?.spec.kind === "DaemonSet";
}

/** No drain moves it: a DaemonSet's pod or a static one. */
export function staysPut(view: Pick<ClusterView, "workload">, pod: Pick<PodView, "owner" | "mirror">): boolean {
  return pod.mirror || isDaemon(view, pod);
}

/** Nothing takes it from its node but what is done to that node; pods of groups go when another of their group does. */
export function goesAlone(view: ClusterView, { owner, mirror }: Pick<PodView, "owner" | "mirror">): boolean {
  const kind = owner === null ? undefined : view.workload(owner)?.spec.kind;
  if (mirror || kind === "DaemonSet") return true;
  if (owner === null || (kind !== "ReplicaSet" && kind !== "StatefulSet") || isUnderPod(view, owner)) return false;
  return kind === "ReplicaSet" || !topOf(view, owner).startsWith("LeaderWorkerSet.");
}

/** A pod is among its owners: when that goes, so does it. */
export function isUnderPod(view: Pick<ClusterView, "workload">, key: ObjectKey): boolean {
  let at: ObjectKey | null = key;
  for (let steps = 0; steps < ownersMax && at !== null; steps += 1) {
    if (podOfKey(at) !== null) return true;
    at = view.workload(at)?.owner ?? null;
  }
  return false;
}

/** The object at the top of a pod's owners; its own key when it has none. */
export function rootOf(view: ClusterView, pod: PodView): ObjectKey {
  return topOf(view, pod.owner ?? podObjectKey(pod));
}

/** The object at the top of an object's owners. */
export function topOf(view: ClusterView, key: ObjectKey): ObjectKey {
  let at = key;
  for (let steps = 0; steps < ownersMax; steps += 1) {
    const owner = ownerAbove(view, at);
    if (owner === null || owner === undefined) return at;
    at = owner;
  }
  return at;
}

/** Owners above owners; more is a circle. */
const ownersMax = 16;
