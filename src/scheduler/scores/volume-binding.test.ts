import { rows } from "../../../test/support/rows.ts";
import { incoming, node, type Question, scores } from "../../../test/support/scheduling.ts";
import { claimVolume, storageClass, volume, volumeClaim } from "../../../test/support/volumes.ts";

// Read from plugins/volumebinding/scorer.go, Kubernetes 1.37.2, with the default shape.
const question = (minor: 36 | 37): Question => ({
  minor,
  objects: [
    node("a"),
    node("b"),
    storageClass("late", { provisioner: "kubernetes.io/no-provisioner" }),
    volume("fits", { storageClassName: "late", capacity: "3Gi", onNodes: ["a"] }),
    volume("large", { storageClassName: "late", capacity: "10Gi", onNodes: ["b"] }),
    volumeClaim("data", { storageClassName: "late", request: "2Gi" }),
    incoming({ spec: claimVolume("data") }),
  ],
});

rows("VolumeBinding's score", scores("VolumeBinding"), [
  ["the volume the claim fills least", question(37), { a: [34, 34], b: [80, 80] }],
  ["none before 1.37", question(36), null],
]);
