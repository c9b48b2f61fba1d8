import { byCodeUnit } from "../base/ordering.ts";
import type { Cluster } from "../model/cluster.ts";
import type { StorageClass } from "../model/storage.ts";

/**
 * Rendered manifests name StorageClasses and never bring them. Where the input has none at all, those that claims name
 * are taken as making volumes where their pods go, and are said not to have been seen: nothing is called safe by it.
 */
export function withAbsentClasses(cluster: Cluster): Cluster {
  const { storage } = cluster;
  const named = new Set<string>();
  for (const claim of storage.claims.values())
    if (claim.volumeName === "") named.add(claim.storageClassName ?? unnamed);
  for (const workload of cluster.workloads.values()) {
    if (workload.kind !== "StatefulSet") continue;
    for (const claim of workload.volumeClaimTemplates) named.add(claim.storageClassName ?? unnamed);
  }
  // "" asks for a volume that is there already.
  named.delete("");
  if (storage.classes.size > 0 || named.size === 0) return cluster;
  const names = [...named].sort(byCodeUnit);
  const known = names.filter((name) => name !== unnamed);
  const what = [
    ...known.map((name) => `StorageClass ${name}`),
    ...(known.length < names.length ? ["the default StorageClass"] : []),
  ];
  return {
    ...cluster,
    storage: { ...storage, classes: new Map(names.map((name) => [name, assumed(name)])) },
    notSeen: [
      ...cluster.notSeen,
      {
        resource: "storageclasses.storage.k8s.io",
        why: `the input names ${what.join(", ")} and has none; volumes are taken as made in the zone their first pod goes to, shared ones for all zones`,
      },
    ],
  };
}

const unnamed = "(default)";

function assumed(name: string): StorageClass {
  return {
    name,
    provisioner: "not-seen",
    waitForFirstConsumer: true,
    isDefault: name === unnamed,
    allowedTopologies: null,
    noProvisioning: false,
  };
}
