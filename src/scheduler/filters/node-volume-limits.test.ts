import { rows } from "../../../test/support/rows.ts";
import { incoming, node, pod, verdicts } from "../../../test/support/scheduling.ts";
import { claimVolume, csiNode, storageClass, volume, volumeClaim } from "../../../test/support/volumes.ts";

// Read from plugins/nodevolumelimits/csi.go, Kubernetes 1.36.3 and 1.37.2. Messages: tooMany, driverMissing; claimMissing is said
// only where VolumeRestrictions has not spoken before.
const tooMany = "for now, NodeVolumeLimits: node(s) exceed max volume count";
const limit = (count: number) => csiNode("a", [{ name: "disk.test", nodeID: "a", allocatable: { count } }]);
const bound = (name: string) => [volumeClaim(name, { volume: `v-${name}` }), volume(`v-${name}`, { claim: name })];
const wanting = (...claims: readonly string[]) => incoming({ spec: claimVolume(...claims) });
const there = (...claims: readonly string[]) => pod("there", { on: "a", spec: claimVolume(...claims) });
const attachment = (volumeName: string) => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttachment",
  metadata: { name: `at-${volumeName}`, uid: `at-${volumeName}` },
  spec: { attacher: "disk.test", nodeName: "a", source: { persistentVolumeName: volumeName } },
});
const picky = {
  apiVersion: "storage.k8s.io/v1",
  kind: "CSIDriver",
  metadata: { name: "disk.test", uid: "driver" },
  spec: { preventPodSchedulingIfMissing: true },
};

rows("NodeVolumeLimits", verdicts, [
  [
    "room for one more",
    { objects: [node("a"), limit(2), ...bound("x"), ...bound("y"), there("x"), wanting("y")] },
    { a: "pass" },
  ],
  [
    "none for two",
    { objects: [node("a"), limit(2), ...bound("x"), ...bound("y"), ...bound("z"), there("x"), wanting("y", "z")] },
    { a: tooMany },
  ],
  [
    "one volume counts once",
    { objects: [node("a"), limit(1), ...bound("x"), there("x"), wanting("x")] },
    { a: "pass" },
  ],
  [
    "an attachment no pod explains counts",
    { objects: [node("a"), limit(1), ...bound("x"), ...bound("y"), attachment("v-x"), wanting("y")] },
    { a: tooMany },
  ],
  [
    "a claim without a volume counts by its class",
    {
      objects: [
        node("a"),
        limit(0),
        storageClass("late"),
        volumeClaim("x", { storageClassName: "late" }),
        wanting("x"),
      ],
    },
    { a: tooMany },
  ],
  [
    "a node that states no limit",
    { objects: [node("a"), csiNode("a", []), ...bound("x"), wanting("x")] },
    { a: "pass" },
  ],
  ["a driver that must be there, in 1.36", { objects: [node("a"), picky, ...bound("x"), wanting("x")] }, { a: "pass" }],
  [
    "in 1.37",
    { minor: 37, objects: [node("a"), picky, ...bound("x"), wanting("x")] },
    { a: "for now, NodeVolumeLimits: disk.test CSI driver is not installed on the node" },
  ],
]);
