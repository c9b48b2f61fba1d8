import type { Cluster } from "../../model/cluster.ts";
import { matches } from "../../model/labels.ts";
import type { CsiStorageCapacity, PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../model/storage.ts";
import type { ClusterView, Effect, NodeView, PodView } from "../../model/view.ts";
import { type Cycle, checkNodes, type Filter, failed, pass, rejectAll, rejectForGood, skip } from "../framework.ts";
import {
  claimClass,
  claimClassName,
  claimNotFound,
  claimOf,
  claimVolumes,
  isFullyBound,
  notOwned,
  reaches,
  termsMatch,
  translated,
  volumeClassName,
} from "./volume-claims.ts";

const messages = {
  affinity: "node(s) didn't match PersistentVolume's node affinity",
  noVolume: "node(s) didn't find available persistent volumes to bind",
  noSpace: "node(s) did not have enough free storage",
  volumeGone: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
  immediate: "pod has unbound immediate PersistentVolumeClaims",
  notMade: (claim: string) => `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claim}"`,
  lost: (claim: string, volume: string) =>
    `persistentvolumeclaim "${claim}" bound to non-existent persistentvolume "${volume}"`,
  deleting: (claim: string) => `persistentvolumeclaim "${claim}" is being deleted`,
  classMissing: (name: string) => `failed to find storage class "${name}"`,
} as const;

/**
 * Bound claims must have volumes the node reaches. Claims that wait for their first consumer need a free volume reachable from
 * the node (the smallest that is large enough), or a class that can provision one there.
 * Mirrors: plugins/volumebinding/volume_binding.go and binder.go, component-helpers storage/volume, Kubernetes 1.34 to 1.37.
 * Upstream picks among free volumes of one size at random; here the first of the input is picked.
 */
export const volumeBinding = {
  name: "VolumeBinding",
  messages,
  prepare(cycle) {
    const { view, pod } = cycle;
    const volumes = claimVolumes(pod);
    if (volumes.length === 0) return skip;
    const bound: PersistentVolumeClaim[] = [];
    const waiting: PersistentVolumeClaim[] = [];
    let immediate = false;
    for (const { name, ephemeral } of volumes) {
      const claim = claimOf(view, pod, name);
      const refused = unusable(pod, name, ephemeral, claim);
      if (refused !== null) return rejectAll(rejectForGood(refused));
      if (claim === undefined) continue;
      if (isFullyBound(claim)) bound.push(claim);
      else if (claim.volumeName === "" && claimClass(view.cluster, claim)?.waitForFirstConsumer === true) {
        waiting.push(claim);
      } else immediate = true;
    }
    if (immediate) return rejectAll(rejectForGood(messages.immediate));
    const plans = new Map<string, VolumePlan>();
    plansOf.set(cycle, plans);
    const check = {
      filter: (node: NodeView) => {
        const { plan, reasons, error } = planFor(view, { bound, waiting }, node);
        if (error !== null) return failed(error);
        if (reasons.length > 0) return rejectForGood(...reasons);
        plans.set(node.name, plan);
        return pass;
      },
      fork: () => check,
      podAdded: () => {},
      podRemoved: () => {},
      reserve: (node: NodeView) => effects(planFor(view, { bound, waiting }, node).plan, node),
    };
    return checkNodes(check);
  },
} satisfies Filter & { messages: unknown };

/** What a pod's waiting claims get on one node. */
export interface VolumePlan {
  readonly bindings: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  /** `capacity` null: the driver does not publish any. */
  readonly provisions: readonly {
    readonly claim: PersistentVolumeClaim;
    readonly capacity: CsiStorageCapacity | null;
  }[];
}

const plansOf = new WeakMap<Cycle, Map<string, VolumePlan>>();

/** The plan found for a node that passed; undefined for a pod without claims. The score reads it. */
export function volumePlan(cycle: Cycle, node: string): VolumePlan | undefined {
  return plansOf.get(cycle)?.get(node);
}

function unusable(
  pod: PodView,
  name: string,
  ephemeral: boolean,
  claim: PersistentVolumeClaim | undefined,
): string | null {
  if (claim === undefined) {
    return ephemeral ? messages.notMade(name) : claimNotFound(name);
  }
  if (claim.phase === "Lost") {
    return messages.lost(name, claim.volumeName);
  }
  if (claim.deleting) return messages.deleting(name);
  return ephemeral ? notOwned(pod, claim) : null;
}

interface Claims {
  readonly bound: readonly PersistentVolumeClaim[];
  readonly waiting: readonly PersistentVolumeClaim[];
}

interface Found {
  readonly plan: VolumePlan;
  /** In upstream's order: affinity, match, space, existence. */
  readonly reasons: readonly string[];
  readonly error: string | null;
}

const nothing: VolumePlan = { bindings: [], provisions: [] };

function planFor(view: ClusterView, { bound, waiting }: Claims, node: NodeView): Found {
  const boundReason = checkBound(view, bound, node);
  const { plan, reason, error } = checkWaiting(view, waiting, node);
  const reasons: string[] = [];
  if (boundReason === messages.affinity) reasons.push(boundReason);
  if (reason !== null) reasons.push(reason);
  if (boundReason === messages.volumeGone) reasons.push(boundReason);
  return { plan, reasons, error };
}

function checkBound(view: ClusterView, claims: readonly PersistentVolumeClaim[], node: NodeView): string | null {
  const csiNode = view.cluster.storage.csiNodes.get(node.name);
  for (const claim of claims) {
    const volume = view.volume(claim.volumeName);
    if (volume === undefined) return messages.volumeGone;
    if (!reaches(translated(volume, csiNode), node.node.labels)) return messages.affinity;
  }
  return null;
}

interface Waiting {
  readonly plan: VolumePlan;
  readonly reason: string | null;
  readonly error: string | null;
}

function checkWaiting(view: ClusterView, claims: readonly PersistentVolumeClaim[], node: NodeView): Waiting {
  if (claims.some((claim) => claim.selectedNode !== "" && claim.selectedNode !== node.name)) {
    return { plan: nothing, reason: messages.noVolume, error: null };
  }
  const chosen = new Set<string>();
  const bindings: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const toProvision = claims.filter((claim) => claim.selectedNode !== "");
  const bySize = claims.filter((claim) => claim.selectedNode === "").sort((a, b) => a.requestBytes - b.requestBytes);
  for (const claim of bySize) {
    const volume = findVolume(view, claim, node, chosen);
    if (volume === null) {
      toProvision.push(claim);
      continue;
    }
    chosen.add(volume.name);
    bindings.push({ claim, volume });
  }
  const provisions: VolumePlan["provisions"][number][] = [];
  for (const claim of toProvision) {
    const found = canProvision(view.cluster, claim, node);
    if (typeof found === "string") return { plan: nothing, reason: found, error: null };
    if (found.error !== null) return { plan: nothing, reason: null, error: found.error };
    provisions.push({ claim, capacity: found.capacity });
  }
  return { plan: { bindings, provisions }, reason: null, error: null };
}

/** The volume kept for this claim, else the smallest free one that fits it and that the node reaches. */
function findVolume(
  view: ClusterView,
  claim: PersistentVolumeClaim,
  node: NodeView,
  chosen: ReadonlySet<string>,
): PersistentVolume | null {
  const className = claimClassName(view.cluster, claim);
  const claimKey = `${claim.namespace}/${claim.name}`;
  let smallest: PersistentVolume | null = null;
  for (const volume of view.volumes) {
    if (volumeClassName(volume) !== className || chosen.has(volume.name)) continue;
    if (volume.claimRef !== null && (volume.claimRef !== claimKey || isLeftOver(volume))) continue;
    if (volume.capacityBytes < claim.requestBytes || volume.volumeMode !== claim.volumeMode || volume.deleting)
      continue;
    const reachable = reaches(volume, node.node.labels);
    if (volume.claimRef !== null) return reachable ? volume : null;
    if (volume.phase !== "Available" || !reachable) continue;
    if (claim.selector !== null && !matches(claim.selector, volume.labels)) continue;
    if (!claim.accessModes.every((mode) => volume.accessModes.includes(mode))) continue;
    if (smallest === null || volume.capacityBytes < smallest.capacityBytes) smallest = volume;
  }
  return smallest;
}

/** Kept after its claim was deleted: a new claim of the same name is another claim. */
function isLeftOver(volume: PersistentVolume): boolean {
  return volume.phase === "Released" || volume.phase === "Failed";
}

type Provision = { readonly capacity: CsiStorageCapacity | null; readonly error: string | null };

/** A text is why the node is refused. */
function canProvision(cluster: Cluster, claim: PersistentVolumeClaim, node: NodeView): string | Provision {
  const className = claimClassName(cluster, claim);
  const storageClass = cluster.storage.classes.get(className);
  if (storageClass === undefined) return { capacity: null, error: messages.classMissing(className) };
  if (storageClass.noProvisioning || storageClass.provisioner === "") return messages.noVolume;
  const { allowedTopologies } = storageClass;
  if (allowedTopologies !== null && allowedTopologies.length > 0) {
    if (!termsMatch(allowedTopologies, node.node.labels, "")) return messages.noVolume;
  }
  return enoughCapacity(cluster, claim, storageClass, node);
}

/** Drivers that publish their capacity must have enough in a segment the node belongs to. */
function enoughCapacity(
  cluster: Cluster,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: NodeView,
): string | Provision {
  const driver = cluster.storage.csiDrivers.get(storageClass.provisioner);
  if (driver === undefined || !driver.storageCapacity) return { capacity: null, error: null };
  for (const capacity of cluster.storage.capacities) {
    if (capacity.storageClassName !== storageClass.name || capacity.nodeTopology === null) continue;
    const limit = capacity.maximumVolumeBytes ?? capacity.capacityBytes;
    if (limit === null || limit < claim.requestBytes) continue;
    if (matches(capacity.nodeTopology, node.node.labels)) return { capacity, error: null };
  }
  return messages.noSpace;
}

function effects(plan: VolumePlan, node: NodeView): readonly Effect[] {
  const bind = (claim: PersistentVolumeClaim, volume: string | null): Effect => ({
    do: "bindVolumeClaim",
    claim: `${claim.namespace}/${claim.name}`,
    volume,
    node: node.name,
  });
  return [
    ...plan.bindings.map(({ claim, volume }) => bind(claim, volume.name)),
    ...plan.provisions.map(({ claim }) => bind(claim, null)),
  ];
}
