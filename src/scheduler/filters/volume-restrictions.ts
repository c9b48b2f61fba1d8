import type { PodVolume } from "../../model/pod-template.ts";
import type { ClusterView, NodeView, PodView } from "../../model/view.ts";
import {
  checkNodes,
  type Filter,
  type NodeCheck,
  pass,
  rejectAll,
  rejectForGood,
  rejectForNow,
  skip,
} from "../framework.ts";
import { claimNotFound, claimOf } from "./volume-claims.ts";

const messages = {
  noDisk: "node(s) had no available disk",
  oncePerPod:
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
} as const;

type Inline = Extract<PodVolume, { kind: "inline" }>;

/**
 * A disk of the old in-tree kinds that another pod on the node uses, and a ReadWriteOncePod claim that any pod uses, keep a pod
 * away. Preemption can help with both.
 * Mirrors: plugins/volumerestrictions/volume_restrictions.go, Kubernetes 1.34 to 1.37.
 */
export const volumeRestrictions = {
  name: "VolumeRestrictions",
  messages,
  prepare({ view, pod }) {
    const oncePerPod = new Set<string>();
    for (const volume of pod.template.volumes) {
      if (volume.kind !== "claim") continue;
      const claim = claimOf(view, pod, volume.claimName);
      if (claim === undefined) return rejectAll(rejectForGood(claimNotFound(volume.claimName)));
      if (claim.accessModes.includes("ReadWriteOncePod")) oncePerPod.add(claim.name);
    }
    const disks = pod.template.volumes.filter((volume) => volume.kind === "inline").filter(isExclusiveDisk);
    const inUse = oncePerPod.size === 0 ? 0 : claimsInUse(view, pod, oncePerPod);
    if (disks.length === 0 && inUse === 0) return skip;
    return checkNodes(new Restrictions(disks, oncePerPod, inUse));
  },
} satisfies Filter & { messages: unknown };

class Restrictions implements NodeCheck {
  readonly #disks: readonly Inline[];
  readonly #oncePerPod: ReadonlySet<string>;
  #inUse: number;

  constructor(disks: readonly Inline[], oncePerPod: ReadonlySet<string>, inUse: number) {
    this.#disks = disks;
    this.#oncePerPod = oncePerPod;
    this.#inUse = inUse;
  }

  filter(node: NodeView): ReturnType<NodeCheck["filter"]> {
    const conflict = this.#disks.some((disk) => node.pods.some((other) => conflicts(disk, other)));
    if (conflict) return rejectForNow(messages.noDisk);
    if (this.#inUse > 0) {
      return rejectForNow(messages.oncePerPod);
    }
    return pass;
  }

  fork(): NodeCheck {
    return new Restrictions(this.#disks, this.#oncePerPod, this.#inUse);
  }

  podAdded(pod: PodView): void {
    this.#inUse += this.#uses(pod);
  }

  podRemoved(pod: PodView): void {
    this.#inUse -= this.#uses(pod);
  }

  reserve(): readonly [] {
    return [];
  }

  /** Upstream compares claim names without their namespace here. */
  #uses(pod: PodView): number {
    return pod.template.volumes.filter((one) => one.kind === "claim" && this.#oncePerPod.has(one.claimName)).length;
  }
}

function claimsInUse(view: ClusterView, pod: PodView, names: ReadonlySet<string>): number {
  const used = new Set<string>();
  for (const other of view.podsIn(pod.namespace)) {
    if (other.node === null || other.phase === "Succeeded" || other.phase === "Failed") continue;
    for (const volume of other.template.volumes) {
      if (volume.kind === "claim" && names.has(volume.claimName)) used.add(volume.claimName);
    }
  }
  return used.size;
}

function isExclusiveDisk(volume: Inline): boolean {
  return ["gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd"].includes(volume.type);
}

/** All but AWS disks may be shared while every pod mounts them read-only. */
function conflicts(disk: Inline, other: PodView): boolean {
  return other.template.volumes.some(
    (volume) =>
      volume.kind === "inline" &&
      volume.type === disk.type &&
      sameDisk(disk, volume) &&
      (disk.type === "awsElasticBlockStore" || !(disk.readOnly && volume.readOnly)),
  );
}

/** RBD images are named `pool/image@monitor,monitor`: one monitor in common makes two of them the same. */
function sameDisk(a: Inline, b: Inline): boolean {
  if (a.type !== "rbd") return a.id === b.id;
  const [image, monitors = ""] = a.id.split("@");
  const [otherImage, otherMonitors = ""] = b.id.split("@");
  const others = otherMonitors.split(",");
  return image === otherImage && monitors.split(",").some((monitor) => others.includes(monitor));
}
