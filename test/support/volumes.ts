import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";

/** Storage objects for tests, as the API server would list them. Claims are in namespace `ns`. */

export interface ClaimFields {
  readonly accessModes?: readonly string[];
  readonly storageClassName?: string;
  readonly request?: string;
  /** Bound to it for good. */
  readonly volume?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly phase?: string;
  readonly ownerPod?: string;
}

export function volumeClaim(name: string, fields: ClaimFields = {}): WireObject {
  const { accessModes = ["ReadWriteOnce"], storageClassName, request = "1Gi", volume, phase, ownerPod } = fields;
  const bound = volume === undefined ? {} : { "pv.kubernetes.io/bind-completed": "yes" };
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace: "ns",
      uid: `claim-${name}`,
      annotations: { ...bound, ...fields.annotations },
      ...(ownerPod === undefined
        ? {}
        : {
            ownerReferences: [
              { apiVersion: "v1", kind: "Pod", name: ownerPod, uid: `ns-${ownerPod}`, controller: true },
            ],
          }),
    },
    spec: {
      accessModes,
      resources: { requests: { storage: request } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...(volume === undefined ? {} : { volumeName: volume }),
    },
    status: { phase: phase ?? (volume === undefined ? "Pending" : "Bound") },
  };
}

export interface VolumeFields {
  readonly labels?: Readonly<Record<string, string>>;
  readonly storageClassName?: string;
  readonly capacity?: string;
  /** Node names it can be reached from. */
  readonly onNodes?: readonly string[];
  readonly claim?: string;
  readonly source?: JsonObject;
}

/** A free volume unless it names its claim. */
export function volume(name: string, fields: VolumeFields = {}): WireObject {
  const { labels = {}, storageClassName = "", capacity = "1Gi", onNodes, claim, source } = fields;
  const nodes = { key: "kubernetes.io/hostname", operator: "In", values: onNodes ?? [] };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, uid: `volume-${name}`, labels },
    spec: {
      capacity: { storage: capacity },
      accessModes: ["ReadWriteOnce"],
      storageClassName,
      ...(source ?? { csi: { driver: "disk.test", volumeHandle: name } }),
      ...(onNodes === undefined
        ? {}
        : { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [nodes] }] } } }),
      ...(claim === undefined ? {} : { claimRef: { namespace: "ns", name: claim, uid: `claim-${claim}` } }),
    },
    status: { phase: claim === undefined ? "Available" : "Bound" },
  };
}

/** Waits for its first consumer. */
export function storageClass(name: string, fields: JsonObject = {}): WireObject {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name, uid: `class-${name}` },
    provisioner: "disk.test",
    volumeBindingMode: "WaitForFirstConsumer",
    ...fields,
  };
}

export function csiNode(name: string, drivers: readonly JsonObject[], migrated = ""): WireObject {
  const annotations = migrated === "" ? {} : { "storage.alpha.kubernetes.io/migrated-plugins": migrated };
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name, uid: `csi-${name}`, annotations },
    spec: { drivers },
  };
}

/** A pod spec with these claims as volumes. */
export function claimVolume(...claims: readonly string[]): JsonObject {
  return { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) };
}
