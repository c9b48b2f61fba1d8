import type { Fields } from "../wire/fields.ts";
import { namespacedName } from "./key.ts";
import type { Meta } from "./parse-meta.ts";
import { parseLabelSelector, parseNodeSelector } from "./parse-selector.ts";
import { parseDisk } from "./parse-volume.ts";
import type { NodeSelectorTerm } from "./pod-template.ts";
import { type QuantityReader, wholeUnits } from "./quantity.ts";
import type {
  CsiDriver,
  CsiNode,
  CsiStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  Storage,
  StorageClass,
} from "./storage.ts";

export function parseVolume(fields: Fields, meta: Meta, quantities: QuantityReader): PersistentVolume {
  const spec = fields.object("spec");
  const claim = spec.optionalObject("claimRef");
  const csi = spec.optionalObject("csi");
  const affinity = spec.object("nodeAffinity").optionalObject("required");
  return {
    name: meta.ref.name,
    labels: meta.labels,
    annotations: meta.annotations,
    capacityBytes: wholeUnits(quantities.amounts(spec, "capacity").get("storage") ?? 0n),
    accessModes: spec.texts("accessModes"),
    storageClassName: classNameOf(spec, meta) ?? "",
    volumeMode: spec.text("volumeMode") || "Filesystem",
    claimRef: claim === null ? null : namespacedName(claim.text("namespace"), claim.text("name")),
    claimBound: claim !== null && claim.text("uid") !== "",
    nodeAffinity: affinity === null ? null : parseNodeSelector(affinity),
    csi: csi === null ? null : { driver: csi.text("driver"), handle: csi.text("volumeHandle") },
    inTree: parseDisk(spec),
    phase: fields.object("status").text("phase") || "Pending",
    deleting: meta.deleting,
  };
}

/** Before there was a field the class was an annotation, which still comes first. */
function classNameOf(spec: Fields, meta: Meta): string | null {
  return meta.annotations.get("volume.beta.kubernetes.io/storage-class") ?? spec.optionalText("storageClassName");
}

export function parseVolumeClaim(fields: Fields, meta: Meta, quantities: QuantityReader): PersistentVolumeClaim {
  const spec = fields.object("spec");
  return {
    namespace: meta.ref.namespace,
    name: meta.ref.name,
    labels: meta.labels,
    annotations: meta.annotations,
    storageClassName: classNameOf(spec, meta),
    volumeName: spec.text("volumeName"),
    bindCompleted: meta.annotations.has("pv.kubernetes.io/bind-completed"),
    requestBytes: wholeUnits(quantities.amounts(spec.object("resources"), "requests").get("storage") ?? 0n),
    accessModes: spec.texts("accessModes"),
    volumeMode: spec.text("volumeMode") || "Filesystem",
    selector: parseLabelSelector(spec, "selector"),
    phase: fields.object("status").text("phase") || "Pending",
    deleting: meta.deleting,
    selectedNode: meta.annotations.get("volume.kubernetes.io/selected-node") ?? "",
    ownerPod: owningPod(meta),
  };
}

/** `namespace/name` of the pod that controls the object; null: none does. */
export function owningPod(meta: Meta): string | null {
  return meta.owner?.kind === "Pod" ? namespacedName(meta.ref.namespace, meta.owner.name) : null;
}

export function parseStorageClass(fields: Fields, meta: Meta): StorageClass {
  const provisioner = fields.text("provisioner");
  return {
    name: meta.ref.name,
    provisioner,
    waitForFirstConsumer: fields.text("volumeBindingMode") === "WaitForFirstConsumer",
    isDefault:
      meta.annotations.get("storageclass.kubernetes.io/is-default-class") === "true" ||
      meta.annotations.get("storageclass.beta.kubernetes.io/is-default-class") === "true",
    allowedTopologies: parseTopologies(fields),
    noProvisioning: provisioner === "kubernetes.io/no-provisioner",
  };
}

function parseTopologies(fields: Fields): readonly NodeSelectorTerm[] | null {
  const topologies = fields.objects("allowedTopologies");
  if (topologies.length === 0) return null;
  return topologies.map((topology) => ({
    matchExpressions: topology.each("matchLabelExpressions", (expression) => ({
      key: expression.text("key"),
      operator: "In",
      values: expression.texts("values"),
    })),
    matchFields: [],
  }));
}

export function parseCsiNode(fields: Fields, meta: Meta): CsiNode {
  const migrated = meta.annotations.get("storage.alpha.kubernetes.io/migrated-plugins") ?? "";
  return {
    name: meta.ref.name,
    drivers: fields
      .object("spec")
      .objects("drivers")
      .map((driver) => ({
        name: driver.text("name"),
        nodeId: driver.text("nodeID"),
        topologyKeys: driver.texts("topologyKeys"),
        volumesMax: driver.object("allocatable").count("count"),
      })),
    migratedPlugins: migrated.split(",").filter((plugin) => plugin !== ""),
  };
}

export function parseCsiDriver(fields: Fields, meta: Meta): CsiDriver {
  const spec = fields.object("spec");
  return {
    name: meta.ref.name,
    storageCapacity: spec.flag("storageCapacity"),
    attachRequired: spec.optionalFlag("attachRequired") ?? true,
    preventPodSchedulingIfMissing: spec.flag("preventPodSchedulingIfMissing"),
  };
}

export function parseCsiStorageCapacity(fields: Fields, meta: Meta, quantities: QuantityReader): CsiStorageCapacity {
  const capacity = quantities.field(fields, "capacity");
  const maximum = quantities.field(fields, "maximumVolumeSize");
  return {
    namespace: meta.ref.namespace,
    name: meta.ref.name,
    storageClassName: fields.text("storageClassName"),
    nodeTopology: parseLabelSelector(fields, "nodeTopology"),
    capacityBytes: capacity === null ? null : wholeUnits(capacity),
    maximumVolumeBytes: maximum === null ? null : wholeUnits(maximum),
  };
}

export function parseAttachment(fields: Fields): Storage["attachments"][number] {
  const spec = fields.object("spec");
  return {
    attacher: spec.text("attacher"),
    node: spec.text("nodeName"),
    volume: spec.object("source").text("persistentVolumeName"),
  };
}
