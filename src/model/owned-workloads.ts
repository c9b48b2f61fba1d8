import { listed } from "../base/listed.ts";
import { underKey } from "../base/under-key.ts";
import type { Cluster } from "./cluster.ts";
import type { ObjectKey } from "./key.ts";

/** Owner → the workloads it owns, in the cluster's order. */
export type OwnedWorkloads = ReadonlyMap<ObjectKey, readonly ObjectKey[]>;

export function ownedWorkloadsOf({ workloads }: Pick<Cluster, "workloads">): OwnedWorkloads {
  return underKey(known, workloads, () => {
    const owned = new Map<ObjectKey, ObjectKey[]>();
    for (const { key, owner } of workloads.values()) if (owner !== null) listed(owned, owner, key);
    return owned;
  });
}

/** They were sorted before, and saved with the cluster. */
export function knowOwnedWorkloads({ workloads }: Cluster, owned: OwnedWorkloads): void {
  known.set(workloads, owned);
}

const known = new WeakMap<Cluster["workloads"], OwnedWorkloads>();
