import type { Cluster } from "../model/cluster.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../model/storage.ts";

/**
 * A claim that asks for a volume by name and may have it is bound as soon as the controller sees the two: in a file written by
 * hand nobody has said so yet.
 * Mirrors: pkg/controller/volume/persistentvolume syncUnboundClaim and checkVolumeSatisfyClaim, 1.36.
 */
export function withBoundClaims(cluster: Cluster): Cluster {
  const { storage } = cluster;
  const bound = [...storage.claims].flatMap(([key, claim]) => {
    const volume = storage.volumes.get(claim.volumeName);
    if (claim.bindCompleted || claim.deleting || volume === undefined || !isFor(volume, claim, key)) return [];
    return [{ key, claim: { ...claim, bindCompleted: true, phase: "Bound" }, volume: { ...volume, claimRef: key } }];
  });
  if (bound.length === 0) return cluster;
  return {
    ...cluster,
    storage: {
      ...storage,
      claims: new Map([...storage.claims, ...bound.map(({ key, claim }) => [key, claim] as const)]),
      volumes: new Map([...storage.volumes, ...bound.map(({ volume }) => [volume.name, volume] as const)]),
    },
  };
}

function isFor(volume: PersistentVolume, claim: PersistentVolumeClaim, key: string): boolean {
  if (volume.claimRef !== null) return volume.claimRef === key;
  return (
    !volume.deleting &&
    volume.capacityBytes >= claim.requestBytes &&
    volume.storageClassName === (claim.storageClassName ?? "") &&
    volume.volumeMode === claim.volumeMode &&
    claim.accessModes.every((mode) => volume.accessModes.includes(mode))
  );
}
