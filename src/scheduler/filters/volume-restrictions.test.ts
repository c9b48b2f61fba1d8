import { rows } from "../../../test/support/rows.ts";
import { incoming, node, pod, verdicts } from "../../../test/support/scheduling.ts";
import { claimVolume, volume, volumeClaim } from "../../../test/support/volumes.ts";

// Read from plugins/volumerestrictions/volume_restrictions.go, Kubernetes 1.36.3.
const noDisk = "for now, VolumeRestrictions: node(s) had no available disk";
const oncePerPod =
  "for now, VolumeRestrictions: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";
const disk = (source: object) => ({ volumes: [{ name: "disk", ...source }] });
const gce = (readOnly: boolean) => disk({ gcePersistentDisk: { pdName: "d1", readOnly } });
const aws = disk({ awsElasticBlockStore: { volumeID: "v1", readOnly: true } });
const rbd = (monitors: readonly string[]) => disk({ rbd: { monitors, pool: "p", image: "i" } });
const once = volumeClaim("once", { accessModes: ["ReadWriteOncePod"], volume: "v" });

rows("VolumeRestrictions: messages noDisk and oncePerPod", verdicts, [
  [
    "a disk written by another",
    { objects: [node("a"), pod("p", { on: "a", spec: gce(false) }), incoming({ spec: gce(true) })] },
    { a: noDisk },
  ],
  [
    "a disk all read",
    { objects: [node("a"), pod("p", { on: "a", spec: gce(true) }), incoming({ spec: gce(true) })] },
    { a: "pass" },
  ],
  [
    "an AWS disk even when all read",
    { objects: [node("a"), pod("p", { on: "a", spec: aws }), incoming({ spec: aws })] },
    { a: noDisk },
  ],
  [
    "one monitor in common makes one image",
    { objects: [node("a"), pod("p", { on: "a", spec: rbd(["m1", "m2"]) }), incoming({ spec: rbd(["m2", "m3"]) })] },
    { a: noDisk },
  ],
  [
    "a disk elsewhere",
    { objects: [node("a"), node("b"), pod("p", { on: "b", spec: gce(false) }), incoming({ spec: gce(false) })] },
    { a: "pass", b: noDisk },
  ],
  [
    "a claim for one pod, used on any node",
    {
      objects: [
        node("a"),
        node("b"),
        once,
        volume("v", { claim: "once" }),
        pod("p", { on: "b", spec: claimVolume("once") }),
        incoming({ spec: claimVolume("once") }),
      ],
    },
    { a: oncePerPod, b: oncePerPod },
  ],
  [
    "a claim that is not there",
    { objects: [node("a"), incoming({ spec: claimVolume("none") })] },
    { all: 'for good, VolumeRestrictions: persistentvolumeclaim "none" not found' },
  ],
]);
