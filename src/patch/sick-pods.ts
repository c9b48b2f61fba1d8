import { byCodeUnit } from "../base/ordering.ts";
import type { PodKey } from "../model/key.ts";
import type { Timing } from "../sim/timing.ts";
import type { Site } from "./site.ts";

/** Pods of these parts that are on a node and not Ready, and are not told to go; standbys of an election never are. In order. */
export function sickPodsOf(sites: readonly Site[]): readonly PodKey[] {
  const sick = sites
    .filter(({ hop }) => !hop.leaderElected)
    .flatMap(({ pods }) => pods)
    .filter(({ node, ready, terminatingSinceMs }) => node !== null && !ready && terminatingSinceMs === null);
  return [...new Set(sick.map(({ key }) => key))].sort(byCodeUnit);
}

/** As it is once these pods are Ready: they are so at once. */
export function withReady(timing: Timing, keys: readonly PodKey[]): Timing {
  const cured = new Set(keys);
  return {
    ...timing,
    podReady: (pod) => (cured.has(pod.key) ? { leastMs: 0, mostMs: 0 } : timing.podReady(pod)),
  };
}
