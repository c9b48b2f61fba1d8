import type { PodVolume } from "../../src/model/pod-template.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../src/model/storage.ts";
import { labels } from "./tiny.ts";

/** A disk that one machine at a time can have, and the claim of ns/cache that holds it. */
export const disk: PersistentVolume = {
  name: "disk",
  labels: labels({}),
  annotations: labels({}),
  capacityBytes: 1,
  accessModes: ["ReadWriteOnce"],
  storageClassName: "",
  volumeMode: "Filesystem",
  claimRef: "ns/cache",
  claimBound: true,
  nodeAffinity: null,
  csi: { driver: "disks.example.com", handle: "1" },
  inTree: null,
  phase: "Bound",
  deleting: false,
};
export const claim: PersistentVolumeClaim = {
  namespace: "ns",
  name: "cache",
  labels: labels({}),
  annotations: labels({}),
  storageClassName: "",
  volumeName: "disk",
  bindCompleted: true,
  requestBytes: 1,
  accessModes: ["ReadWriteOnce"],
  volumeMode: "Filesystem",
  selector: null,
  phase: "Bound",
  deleting: false,
  selectedNode: "",
  ownerPod: null,
};

export const mounts: readonly PodVolume[] = [{ kind: "claim", volume: "cache", claimName: "cache", readOnly: false }];
