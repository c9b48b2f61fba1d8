import type { Problem } from "../base/problem.ts";
import { namespacedName, type ObjectKey } from "./key.ts";
import type { Pod } from "./pod.ts";
import type { Workload } from "./workload.ts";

/**
 * Cuts the links of workloads whose owners lead back to themselves: no API server makes such a chain, and everything that
 * walks from owners to what they own relies on an end. Each cut is a problem of the input.
 */
export function cutOwnerCycles(workloads: Map<ObjectKey, Workload>, pods: readonly Pod[], problems: Problem[]): void {
  // Only where a pod owns something (the leader of a group its workers' set) does the way lead through pods.
  let ownersOfPods: ReadonlyMap<ObjectKey, ObjectKey> | null = null;
  const above = (key: ObjectKey): ObjectKey | null => {
    if (!key.startsWith("Pod./")) return workloads.get(key)?.owner ?? null;
    ownersOfPods ??= new Map(pods.flatMap((pod) => (pod.owner === null ? [] : [[`Pod./${pod.key}`, pod.owner]])));
    return ownersOfPods.get(key) ?? null;
  };
  const ends = new Set<ObjectKey>();
  for (const [start, workload] of workloads) {
    // Nearly every way ends at once, at what nobody owns or at what was looked at before.
    if (workload.owner === null || ends.has(workload.owner)) {
      ends.add(start);
      continue;
    }
    const passed = new Set<ObjectKey>();
    let key: ObjectKey | null = start;
    while (key !== null && !ends.has(key) && !passed.has(key)) {
      passed.add(key);
      key = above(key);
    }
    if (key !== null && passed.has(key)) {
      workloads.set(start, { ...workload, owner: null });
      const { kind, namespace, name } = workload.ref;
      problems.push({
        ...workload.source,
        path: "metadata.ownerReferences",
        message: `the owners of ${kind} ${namespacedName(namespace, name)} lead back to itself; taken as owned by nobody`,
      });
    }
    for (const each of passed) ends.add(each);
  }
}
