import { underKey } from "../base/under-key.ts";
import type { Cluster } from "./cluster.ts";

/** Unix ms of the youngest thing in the cluster: when the input was taken, as far as it tells. */
export function newestMs(cluster: Cluster): number {
  return underKey(known, cluster, () => newestOf(cluster));
}

/** It was looked for before, and saved with the cluster. */
export function knowNewest(cluster: Cluster, unixMs: number): void {
  known.set(cluster, unixMs);
}

const known = new WeakMap<Cluster, number>();

function newestOf({ pods, workloads }: Cluster): number {
  let newest = 0;
  for (const { createdAtMs, scheduledAtMs, startedAtMs, readyAtMs } of pods)
    newest = Math.max(newest, createdAtMs ?? 0, scheduledAtMs ?? 0, startedAtMs ?? 0, readyAtMs ?? 0);
  for (const { createdAtMs } of workloads.values()) newest = Math.max(newest, createdAtMs ?? 0);
  return newest;
}
