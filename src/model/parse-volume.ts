import { byCodeUnit } from "../base/ordering.ts";
import type { Fields } from "../wire/fields.ts";
import type { PodVolume } from "./pod-template.ts";
import { type QuantityReader, wholeUnits } from "./quantity.ts";

/** Null for volumes that never matter to placement or eviction (config maps, projected tokens, …). */
export function parsePodVolume(volume: Fields, quantities: QuantityReader): PodVolume | null {
  const name = volume.text("name");
  const claim = volume.optionalObject("persistentVolumeClaim");
  if (claim !== null) {
    return { kind: "claim", volume: name, claimName: claim.text("claimName"), readOnly: claim.flag("readOnly") };
  }
  const ephemeral = volume.optionalObject("ephemeral");
  if (ephemeral !== null)
    return ephemeralVolume(name, ephemeral.object("volumeClaimTemplate").object("spec"), quantities);
  if (volume.has("emptyDir")) return { kind: "emptyDir", volume: name };
  if (volume.has("hostPath")) return { kind: "hostPath", volume: name };
  return parseInlineDisk(volume, name);
}

function ephemeralVolume(volume: string, claim: Fields, quantities: QuantityReader): PodVolume {
  const storage = quantities.amounts(claim.object("resources"), "requests").get("storage");
  return {
    kind: "ephemeral",
    volume,
    storageClassName: claim.optionalText("storageClassName"),
    requestBytes: wholeUnits(storage ?? 0n),
    accessModes: claim.texts("accessModes"),
  };
}

/** Disks named in the pod itself or in a PersistentVolume, with the field that identifies the disk. */
const disks: readonly { readonly type: string; readonly idField: string }[] = [
  { type: "awsElasticBlockStore", idField: "volumeID" },
  { type: "gcePersistentDisk", idField: "pdName" },
  { type: "azureDisk", idField: "diskURI" },
  { type: "cinder", idField: "volumeID" },
  { type: "vsphereVolume", idField: "volumePath" },
  { type: "portworxVolume", idField: "volumeID" },
  { type: "iscsi", idField: "iqn" },
  { type: "rbd", idField: "image" },
];

function parseInlineDisk(volume: Fields, name: string): PodVolume | null {
  const disk = parseDisk(volume);
  if (disk !== null) return { kind: "inline", volume: name, ...disk, driver: "" };
  const csi = volume.optionalObject("csi");
  if (csi === null) return null;
  return {
    kind: "inline",
    volume: name,
    type: "csi",
    id: "",
    driver: csi.text("driver"),
    readOnly: csi.flag("readOnly"),
  };
}

/** The in-tree disk of a volume source; null when it is none. */
export function parseDisk(
  source: Fields,
): { readonly type: string; readonly id: string; readonly readOnly: boolean } | null {
  for (const { type, idField } of disks) {
    const disk = source.optionalObject(type);
    if (disk === null) continue;
    const id = type === "rbd" ? rbdId(disk) : disk.text(idField);
    return { type, id, readOnly: disk.flag("readOnly") };
  }
  return null;
}

/** `pool/image@monitor,monitor`: two are the same disk when pool and image agree and they share a monitor. */
function rbdId(disk: Fields): string {
  const monitors = [...disk.texts("monitors")].sort(byCodeUnit).join(",");
  return `${disk.text("pool") || "rbd"}/${disk.text("image")}@${monitors}`;
}
