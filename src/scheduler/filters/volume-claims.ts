import type { Cluster } from "../../model/cluster.ts";
import { type Labels, matchesRequirement, type Requirement } from "../../model/labels.ts";
import type { NodeSelectorTerm, PodVolume } from "../../model/pod-template.ts";
import type { CsiNode, PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../model/storage.ts";
import type { ClusterView, PodView } from "../../model/view.ts";

/** What the volume filters share: how a pod names its claims, which class a claim has, where a volume can be reached. */

export type ClaimVolume = Extract<PodVolume, { kind: "claim" } | { kind: "ephemeral" }>;

const betaClassAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Volumes of a pod that are claims, in the order of the spec; `name` is the claim's. */
export function claimVolumes(pod: PodView): readonly { readonly name: string; readonly ephemeral: boolean }[] {
  const found: { name: string; ephemeral: boolean }[] = [];
  for (const volume of pod.template.volumes) {
    if (volume.kind === "claim") found.push({ name: volume.claimName, ephemeral: false });
    if (volume.kind === "ephemeral") found.push({ name: `${pod.name}-${volume.volume}`, ephemeral: true });
  }
  return found;
}

export function claimOf(view: ClusterView, pod: PodView, name: string): PersistentVolumeClaim | undefined {
  return view.volumeClaim(`${pod.namespace}/${name}`);
}

export function claimNotFound(name: string): string {
  return `persistentvolumeclaim "${name}" not found`;
}

/** Null: the claim is the pod's. Else the scheduler's text. A claim of an ephemeral volume must be owned by its pod. */
export function notOwned(pod: PodView, claim: PersistentVolumeClaim): string | null {
  if (claim.ownerPod === pod.key) return null;
  return `PVC ${claim.namespace}/${claim.name} was not created for pod ${pod.namespace}/${pod.name} (pod is not owner)`;
}

/** Name of a claim's class, "" none. A claim that names none gets the default class, as the volume controller gives it. */
export function claimClassName(cluster: Cluster, claim: PersistentVolumeClaim): string {
  const beta = claim.annotations.get(betaClassAnnotation);
  if (beta !== undefined) return beta;
  if (claim.storageClassName !== null) return claim.storageClassName;
  for (const storageClass of cluster.storage.classes.values()) if (storageClass.isDefault) return storageClass.name;
  return "";
}

export function claimClass(cluster: Cluster, claim: PersistentVolumeClaim): StorageClass | undefined {
  return cluster.storage.classes.get(claimClassName(cluster, claim));
}

export function volumeClassName(volume: PersistentVolume): string {
  return volume.annotations.get(betaClassAnnotation) ?? volume.storageClassName;
}

/** Bound for good: the volume is named and the controller has finished. */
export function isFullyBound(claim: PersistentVolumeClaim): boolean {
  return claim.volumeName !== "" && claim.bindCompleted;
}

/**
 * Node selector terms are ORed, requirements of a term ANDed; a term without any matches nothing, as does an empty list.
 * Mirrors: component-helpers scheduling/corev1/nodeaffinity, 1.36.
 */
export function termsMatch(terms: readonly NodeSelectorTerm[], labels: Labels, nodeName: string): boolean {
  const fields = new Map([["metadata.name", nodeName]]);
  return terms.some(
    (term) =>
      term.matchExpressions.length + term.matchFields.length > 0 &&
      term.matchExpressions.every((requirement) => matchesRequirement(requirement, labels)) &&
      term.matchFields.every((requirement) => matchesRequirement(requirement, fields)),
  );
}

/** Old zone and region labels, and what they are called now. */
const newNames: ReadonlyMap<string, string> = new Map([
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
]);

export function newTopologyName(label: string): string {
  return newNames.get(label) ?? label;
}

/** Whether a node with these labels reaches the volume. Upstream looks at labels only: a term on metadata.name fails. */
export function reaches({ nodeAffinity }: PersistentVolume, labels: Labels): boolean {
  return nodeAffinity === null || termsMatch(nodeAffinity, labels, "");
}

/** An in-tree volume type, its plugin, the CSI driver that took over, and the label by which that driver names zones. */
export interface MigratedDisk {
  readonly plugin: string;
  readonly driver: string;
  /** "": it does not translate zones. */
  readonly zoneKey: string;
}

/** Mirrors: csi-translation-lib, Kubernetes 1.34 to 1.37, for the plugins whose migration is on. */
export const migratedDisks: ReadonlyMap<string, MigratedDisk> = new Map([
  [
    "awsElasticBlockStore",
    { plugin: "kubernetes.io/aws-ebs", driver: "ebs.csi.aws.com", zoneKey: "topology.ebs.csi.aws.com/zone" },
  ],
  [
    "gcePersistentDisk",
    { plugin: "kubernetes.io/gce-pd", driver: "pd.csi.storage.gke.io", zoneKey: "topology.gke.io/zone" },
  ],
  ["azureDisk", { plugin: "kubernetes.io/azure-disk", driver: "disk.csi.azure.com", zoneKey: "" }],
  [
    "cinder",
    {
      plugin: "kubernetes.io/cinder",
      driver: "cinder.csi.openstack.org",
      zoneKey: "topology.cinder.csi.openstack.org/zone",
    },
  ],
  ["portworxVolume", { plugin: "kubernetes.io/portworx-volume", driver: "pxd.portworx.com", zoneKey: "" }],
]);

/**
 * The volume as the scheduler sees it for a node that says its in-tree plugin has been migrated: zones by the CSI driver's label,
 * taken from the volume's own labels if it has no affinity to them.
 * Mirrors: csi-translation-lib plugins/in_tree_volume.go translateTopologyFromInTreeToCSI.
 */
export function translated(volume: PersistentVolume, csiNode: CsiNode | undefined): PersistentVolume {
  const disk = volume.inTree === null ? undefined : migratedDisks.get(volume.inTree.type);
  if (disk === undefined || disk.zoneKey === "" || csiNode?.migratedPlugins.includes(disk.plugin) !== true)
    return volume;
  const terms = volume.nodeAffinity ?? [];
  const names = (key: string): boolean => terms.some((term) => term.matchExpressions.some((one) => one.key === key));
  const isOld = names(zone) ? false : names(oldZone) || (!volume.labels.has(zone) && volume.labels.has(oldZone));
  const zoneLabel = isOld ? oldZone : zone;
  const zones = names(zoneLabel) ? [] : (volume.labels.get(zoneLabel) ?? "").split("__").map((name) => name.trim());
  const added = zones.filter((name) => name !== "");
  const rename = (key: string): string => (key === zoneLabel ? disk.zoneKey : isOld ? newTopologyName(key) : key);
  const extra: readonly Requirement[] =
    added.length === 0 ? [] : [{ key: disk.zoneKey, operator: "In", values: added }];
  const some = terms.length === 0 && extra.length > 0 ? [{ matchExpressions: [], matchFields: [] }] : terms;
  const nodeAffinity = some.map((term) => ({
    matchFields: term.matchFields,
    matchExpressions: [...term.matchExpressions.map((one) => ({ ...one, key: rename(one.key) })), ...extra],
  }));
  return { ...volume, nodeAffinity: volume.nodeAffinity === null && some.length === 0 ? null : nodeAffinity };
}

const zone = "topology.kubernetes.io/zone";
const oldZone = "failure-domain.beta.kubernetes.io/zone";
