import type { PersistentVolume, PersistentVolumeClaim } from "../model/storage.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { isTerminal } from "./pod-state.ts";

/** Kinds of volumes that are attached to a machine, of those a PersistentVolume can be without a CSI driver. */
const attachedKinds: ReadonlySet<string> = new Set([
  "awsElasticBlockStore",
  "azureDisk",
  "cinder",
  "fc",
  "gcePersistentDisk",
  "iscsi",
  "portworxVolume",
  "vsphereVolume",
]);

/**
 * Keys of the pod's claims whose disk one machine at a time can have.
 * Mirrors: pkg/volume/util/util.go IsMultiAttachAllowed, IsAttachableVolume, 1.36.
 */
export function claimsOfOneMachine(view: ClusterView, pod: PodView): readonly string[] {
  return pod.template.volumes.flatMap((volume) => {
    const claim = volume.kind === "claim" ? view.volumeClaim(`${pod.namespace}/${volume.claimName}`) : undefined;
    return claim !== undefined && isOfOneMachine(view, claim) ? [`${claim.namespace}/${claim.name}`] : [];
  });
}

/** Who keeps a disk of a pod on another node, and by which claim. */
export interface DiskHolder {
  readonly claim: string;
  readonly pod: PodView;
}

/**
 * A disk is attached to the next machine when no pod on the former uses it any more: one that still stops there, or stands on a
 * machine that does not answer, keeps it. `has`: it is not itself one that waits. Null: nobody keeps a disk of the pod.
 * Mirrors: pkg/controller/volume/attachdetach/reconciler/reconciler.go attachDesiredVolumes, 1.36.
 */
export function diskHolder(view: ClusterView, pod: PodView, has: (other: PodView) => boolean): DiskHolder | null {
  const { node, namespace, template } = pod;
  if (node === null || template.volumes.length === 0) return null;
  const claims = new Set(claimsOfOneMachine(view, pod).filter((claim) => !isItsOwn(pod, claim)));
  if (claims.size === 0) return null;
  for (const other of view.podsIn(namespace)) {
    if (other.node === null || other.node.name === node.name || isTerminal(other) || !has(other)) continue;
    for (const volume of other.template.volumes) {
      const claim = volume.kind === "claim" ? `${namespace}/${volume.claimName}` : "";
      if (claims.has(claim)) return { claim, pod: other };
    }
  }
  return null;
}

/** Of a StatefulSet's pod, which bears its name: who had it before is gone. */
function isItsOwn({ ordinal, name }: PodView, claim: string): boolean {
  return ordinal !== null && claim.endsWith(`-${name}`);
}

function isOfOneMachine(view: ClusterView, claim: PersistentVolumeClaim): boolean {
  const volume = view.volume(claim.volumeName);
  const { accessModes } = volume ?? claim;
  if (accessModes.length === 0 || accessModes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany"))
    return false;
  // What was not seen, or is still to be made, is mostly a disk that is attached.
  return volume === undefined || isAttached(view, volume);
}

function isAttached({ cluster }: ClusterView, { csi, inTree }: PersistentVolume): boolean {
  if (csi === null) return inTree !== null && attachedKinds.has(inTree.type);
  return cluster.storage.csiDrivers.get(csi.driver)?.attachRequired ?? true;
}
