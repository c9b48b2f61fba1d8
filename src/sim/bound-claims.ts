import type { Cluster } from "../model/cluster.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../model/storage.ts";

/**
 * What the controller has bound or binds at once, although nothing says so to the scheduler, which goes by an annotation: a claim
 * that asks for a volume by name and may have it, as in a file written by hand; and one whose phase is Bound: whoever writes the
 * phase writes the annotation first, but an export may have dropped it.
 * Mirrors: pkg/controller/volume/persistentvolume syncUnboundClaim and checkVolumeSatisfyClaim, 1.36.
 */
export function withBoundClaims(cluster: Cluster): Cluster {
  const { storage } = cluster;
  const bound = [...storage.claims].flatMap(([key, claim]) => {
    if (claim.bindCompleted || claim.deleting || claim.volumeName === "") return [];
    const volume = storage.volumes.get(claim.volumeName);
    const isBound = claim.phase === "Bound" || (volume !== undefined && isFor(volume, claim, key));
    if (!isBound) return [];
    return [{ key, claim: { ...claim, bindCompleted: true, phase: "Bound" }, volume }];
  });
  if (bound.length === 0) return cluster;
  return {
    ...cluster,
    storage: {
      ...storage,
      claims: new Map([...storage.claims, ...bound.map(({ key, claim }) => [key, claim] as const)]),
      volumes: new Map([
        ...storage.volumes,
        ...bound.flatMap(({ key, volume }) =>
          volume === undefined ? [] : [[volume.name, { ...volume, claimRef: key }] as const],
        ),
      ]),
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
