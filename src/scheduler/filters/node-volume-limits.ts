import type { Cluster, Minor } from "../../model/cluster.ts";
import type { CsiNode, PersistentVolume, PersistentVolumeClaim } from "../../model/storage.ts";
import type { ClusterView, NodeView, PodView } from "../../model/view.ts";
import type { Verdict } from "../framework.ts";
import {
  type Cycle,
  checkNodes,
  type Filter,
  failed,
  pass,
  perNode,
  rejectForGood,
  rejectForNow,
  skip,
} from "../framework.ts";
import { claimClass, claimNotFound, claimOf, claimVolumes, migratedDisks, notOwned } from "./volume-claims.ts";

const messages = {
  tooMany: "node(s) exceed max volume count",
  driverMissing: (driver: string) => `${driver} CSI driver is not installed on the node`,
  claimMissing: (claim: string, why: string) => `looking up PVC ${claim}: ${why}`,
} as const;

/** Unique volume (`driver/handle`) → driver. */
type Volumes = Map<string, string>;

/**
 * A node attaches at most as many volumes of a CSI driver as its CSINode says. From 1.37 on a driver that asks for it
 * (CSIDriver.spec.preventPodSchedulingIfMissing) must also be on the node.
 * Mirrors: plugins/nodevolumelimits/csi.go, Kubernetes 1.34 to 1.37 (VolumeLimitScaling is on by default in 1.37).
 */
export const nodeVolumeLimits = {
  name: "NodeVolumeLimits",
  messages,
  prepare(cycle) {
    const counts = cycle.pod.template.volumes.some(
      (one) =>
        one.kind === "claim" || one.kind === "ephemeral" || (one.kind === "inline" && migratedDisks.has(one.type)),
    );
    return counts ? checkNodes(perNode((node) => check(cycle, node))) : skip;
  },
} satisfies Filter & { messages: unknown };

function check({ view, pod, minor }: Cycle, node: NodeView): Verdict {
  const csiNode = view.cluster.storage.csiNodes.get(node.name);
  const counter = { view, minor, csiNode };
  const added: Volumes = new Map();
  const refused = countVolumes(counter, pod, added, "new");
  if (refused !== null) return refused;
  if (added.size === 0) return pass;
  if (minor >= 37) {
    for (const driver of new Set(added.values())) {
      if (isMissing(view.cluster, driver, csiNode)) {
        return rejectForNow(messages.driverMissing(driver));
      }
    }
  }
  const limits = new Map<string, number>();
  for (const driver of csiNode?.drivers ?? []) {
    if (driver.volumesMax !== null) limits.set(driver.name, driver.volumesMax);
  }
  if (limits.size === 0) return pass;
  const attached: Volumes = new Map();
  for (const other of node.pods) {
    const broken = countVolumes(counter, other, attached, "there");
    if (broken !== null) return broken;
  }
  for (const unique of attached.keys()) added.delete(unique);
  for (const [unique, driver] of otherAttachments(view.cluster, node.name)) attached.set(unique, driver);
  for (const [driver, limit] of limits) {
    const more = countOf(added, driver);
    if (more > 0 && countOf(attached, driver) + more > limit) return rejectForNow(messages.tooMany);
  }
  return pass;
}

interface Counter {
  readonly view: ClusterView;
  readonly minor: Minor;
  readonly csiNode: CsiNode | undefined;
}

/** Adds a pod's volumes. Not null: the count cannot be made. Pods already there are counted as far as can be. */
function countVolumes(counter: Counter, pod: PodView, into: Volumes, kind: "new" | "there"): Verdict | null {
  for (const { name, ephemeral } of claimVolumes(pod)) {
    const claim = claimOf(counter.view, pod, name);
    if (claim === undefined) {
      if (kind === "there") continue;
      return rejectForGood(messages.claimMissing(`${pod.namespace}/${name}`, claimNotFound(name)));
    }
    const stranger = ephemeral ? notOwned(pod, claim) : null;
    if (stranger !== null) return failed(stranger);
    const found = claimedVolume(counter, claim);
    if (found !== null) into.set(`${found.driver}/${found.handle}`, found.driver);
  }
  for (const volume of pod.template.volumes) {
    if (volume.kind !== "inline") continue;
    const plugin = migratedDisks.get(volume.type);
    if (plugin === undefined || !isMigrationOn(counter, plugin.plugin)) continue;
    into.set(`${plugin.driver}/${volume.id}`, plugin.driver);
  }
  return null;
}

interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
}

/** A claim without a volume yet counts by its class; one without a class is bound before scheduling. */
function claimedVolume(counter: Counter, claim: PersistentVolumeClaim): CsiVolume | null {
  const volume = claim.volumeName === "" ? undefined : counter.view.volume(claim.volumeName);
  return volume === undefined ? classVolume(counter, claim) : persistentVolume(counter, volume);
}

function persistentVolume(counter: Counter, volume: PersistentVolume): CsiVolume | null {
  if (volume.csi !== null) return volume.csi;
  const plugin = volume.inTree === null ? undefined : migratedDisks.get(volume.inTree.type);
  if (volume.inTree === null || plugin === undefined || !isMigrationOn(counter, plugin.plugin)) return null;
  // Disks of one name in two zones are two disks.
  const zone = volume.inTree.type === "gcePersistentDisk" ? zoneText(volume) : "";
  return { driver: plugin.driver, handle: `${zone}${volume.inTree.id}` };
}

function zoneText({ labels }: PersistentVolume): string {
  const old = labels.get("failure-domain.beta.kubernetes.io/zone") ?? "";
  return old !== "" ? old : (labels.get("topology.kubernetes.io/zone") ?? "");
}

function classVolume(counter: Counter, claim: PersistentVolumeClaim): CsiVolume | null {
  const storageClass = claimClass(counter.view.cluster, claim);
  if (storageClass === undefined) return null;
  const handle = `claim-${claim.namespace}/${claim.name}`;
  for (const plugin of migratedDisks.values()) {
    if (plugin.plugin !== storageClass.provisioner) continue;
    return isMigrationOn(counter, plugin.plugin) ? { driver: plugin.driver, handle } : null;
  }
  if (neverCounted.has(storageClass.provisioner)) return null;
  return { driver: storageClass.provisioner, handle };
}

/** Migratable in-tree provisioners the filter does not count. */
const neverCounted: ReadonlySet<string> = new Set(["kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"]);

/** A CSINode is enough, but for Portworx, whose migration the node had to list until 1.35. */
function isMigrationOn({ minor, csiNode }: Counter, plugin: string): boolean {
  if (csiNode === undefined) return false;
  return minor >= 36 || plugin !== "kubernetes.io/portworx-volume" || csiNode.migratedPlugins.includes(plugin);
}

function isMissing(cluster: Cluster, driver: string, csiNode: CsiNode | undefined): boolean {
  if (cluster.storage.csiDrivers.get(driver)?.preventPodSchedulingIfMissing !== true) return false;
  return csiNode === undefined || !csiNode.drivers.some((one) => one.name === driver);
}

function countOf(volumes: ReadonlyMap<string, string>, driver: string): number {
  let count = 0;
  for (const one of volumes.values()) if (one === driver) count += 1;
  return count;
}

/** Cluster → node → attachments no pod of the input explains. Those pods explain go when the pods go, so they are not kept. */
const unexplained = new WeakMap<Cluster, ReadonlyMap<string, ReadonlyMap<string, string>>>();

function otherAttachments(cluster: Cluster, node: string): ReadonlyMap<string, string> {
  let byNode = unexplained.get(cluster);
  if (byNode === undefined) {
    byNode = attachmentsWithoutPod(cluster);
    unexplained.set(cluster, byNode);
  }
  return byNode.get(node) ?? new Map();
}

function attachmentsWithoutPod(cluster: Cluster): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const explained = new Set<string>();
  for (const pod of cluster.pods) {
    if (pod.nodeName === "" || pod.phase === "Succeeded" || pod.phase === "Failed") continue;
    for (const volume of pod.template.volumes) {
      if (volume.kind !== "claim" && volume.kind !== "ephemeral") continue;
      const name = volume.kind === "claim" ? volume.claimName : `${pod.name}-${volume.volume}`;
      const claim = cluster.storage.claims.get(`${pod.namespace}/${name}`);
      if (claim !== undefined) explained.add(`${pod.nodeName} ${claim.volumeName}`);
    }
  }
  const byNode = new Map<string, Map<string, string>>();
  for (const { attacher, node, volume } of cluster.storage.attachments) {
    const csi = cluster.storage.volumes.get(volume)?.csi ?? null;
    if (attacher === "" || csi === null || explained.has(`${node} ${volume}`)) continue;
    const onNode = byNode.get(node) ?? new Map<string, string>();
    byNode.set(node, onNode.set(`${attacher}/${csi.handle}`, attacher));
  }
  return byNode;
}
