import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../../test/support/rows.ts";
import { incoming, node, type Question, verdicts, viewOf } from "../../../test/support/scheduling.ts";
import { claimVolume, csiNode, storageClass, volume, volumeClaim } from "../../../test/support/volumes.ts";
import { anyStart, schedule } from "../schedule.ts";

// Read from plugins/volumebinding and component-helpers storage/volume, Kubernetes 1.36.3. Messages: affinity, noVolume, noSpace,
// immediate, notMade, lost, deleting; volumeGone and classMissing are said only where another filter has not spoken before.
const affinity = "for good, VolumeBinding: node(s) didn't match PersistentVolume's node affinity";
const noVolume = "for good, VolumeBinding: node(s) didn't find available persistent volumes to bind";
const noSpace = "for good, VolumeBinding: node(s) did not have enough free storage";
const late = volumeClaim("data", { storageClassName: "late" });
const waiting = [late, incoming({ spec: claimVolume("data") })];
const local = storageClass("late", { provisioner: "kubernetes.io/no-provisioner" });
const driver = {
  apiVersion: "storage.k8s.io/v1",
  kind: "CSIDriver",
  metadata: { name: "disk.test", uid: "driver" },
  spec: { storageCapacity: true },
};
const capacity = (host: string, amount: string) => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "CSIStorageCapacity",
  metadata: { name: host, namespace: "ns", uid: `capacity-${host}` },
  storageClassName: "late",
  nodeTopology: { matchLabels: { "kubernetes.io/hostname": host } },
  capacity: amount,
});

rows("VolumeBinding", verdicts, [
  [
    "a bound volume holds the pod to its nodes",
    {
      objects: [
        node("a"),
        node("b"),
        volumeClaim("data", { volume: "v" }),
        volume("v", { claim: "data", onNodes: ["a"] }),
        incoming({ spec: claimVolume("data") }),
      ],
    },
    { a: "pass", b: affinity },
  ],
  [
    "a free volume must be reachable",
    { objects: [node("a"), node("b"), local, volume("v", { storageClassName: "late", onNodes: ["b"] }), ...waiting] },
    { a: noVolume, b: "pass" },
  ],
  [
    "large enough",
    {
      objects: [
        node("a"),
        local,
        volume("v", { storageClassName: "late" }),
        volumeClaim("data", { storageClassName: "late", request: "2Gi" }),
        incoming({ spec: claimVolume("data") }),
      ],
    },
    { a: noVolume },
  ],
  [
    "and not another claim's",
    { objects: [node("a"), local, volume("v", { storageClassName: "late", claim: "other" }), ...waiting] },
    { a: noVolume },
  ],
  [
    "two claims need two volumes",
    {
      objects: [
        node("a"),
        local,
        volume("v", { storageClassName: "late" }),
        late,
        volumeClaim("more", { storageClassName: "late" }),
        incoming({ spec: claimVolume("data", "more") }),
      ],
    },
    { a: noVolume },
  ],
  ["a class can make one", { objects: [node("a"), storageClass("late"), ...waiting] }, { a: "pass" }],
  [
    "where it may",
    {
      objects: [
        node("a"),
        node("b"),
        storageClass("late", {
          allowedTopologies: [{ matchLabelExpressions: [{ key: "kubernetes.io/hostname", values: ["b"] }] }],
        }),
        ...waiting,
      ],
    },
    { a: noVolume, b: "pass" },
  ],
  [
    "where its driver has room",
    {
      objects: [
        node("a"),
        node("b"),
        node("c"),
        storageClass("late"),
        driver,
        capacity("a", "512Mi"),
        capacity("b", "1Gi"),
        ...waiting,
      ],
    },
    { a: noSpace, b: "pass", c: noSpace },
  ],
  [
    "a claim being made for one node",
    {
      objects: [
        node("a"),
        node("b"),
        storageClass("late"),
        volumeClaim("data", {
          storageClassName: "late",
          annotations: { "volume.kubernetes.io/selected-node": "a" },
        }),
        incoming({ spec: claimVolume("data") }),
      ],
    },
    { a: "pass", b: noVolume },
  ],
  [
    "a migrated in-tree disk is where its driver says",
    {
      objects: [
        node("a", { labels: { "topology.ebs.csi.aws.com/zone": "z1" } }),
        node("b", { labels: { "topology.ebs.csi.aws.com/zone": "z2" } }),
        node("c"),
        csiNode("a", [], "kubernetes.io/aws-ebs"),
        csiNode("b", [], "kubernetes.io/aws-ebs"),
        volumeClaim("data", { volume: "v" }),
        volume("v", {
          claim: "data",
          labels: { "topology.kubernetes.io/zone": "z1" },
          source: { awsElasticBlockStore: { volumeID: "vol-1" } },
        }),
        incoming({ spec: claimVolume("data") }),
      ],
    },
    { a: "pass", b: affinity, c: "pass" },
  ],
  [
    "a claim that should have been bound",
    { objects: [node("a"), volumeClaim("data", { storageClassName: "" }), incoming({ spec: claimVolume("data") })] },
    { all: "for good, VolumeBinding: pod has unbound immediate PersistentVolumeClaims" },
  ],
  [
    "a claim that lost its volume",
    {
      objects: [
        node("a"),
        volumeClaim("data", { volume: "v", phase: "Lost" }),
        incoming({ spec: claimVolume("data") }),
      ],
    },
    {
      all: 'for good, VolumeBinding: persistentvolumeclaim "data" bound to non-existent persistentvolume "v"',
    },
  ],
]);

const scratch = (): Question => ({
  objects: [
    node("a"),
    local,
    volume("large", { storageClassName: "late", capacity: "9Gi" }),
    volume("small", { storageClassName: "late", capacity: "2Gi" }),
    volume("tiny", { storageClassName: "late", capacity: "512Mi" }),
    ...waiting,
  ],
});

test("VolumeBinding: the smallest volume that is large enough is bound with the pod", () => {
  const view = viewOf(scratch());
  const pod = view.pod("ns/new");
  assert.ok(pod !== undefined);
  const result = schedule(view, pod, anyStart);
  assert.ok(result.outcome === "bind");
  assert.deepEqual(result.effectsOn("a"), [{ do: "bindVolumeClaim", claim: "ns/data", volume: "small", node: "a" }]);
});

const ephemeral = { volumes: [{ name: "tmp", ephemeral: { volumeClaimTemplate: { spec: {} } } }] };

rows("VolumeBinding: ephemeral volumes", verdicts, [
  [
    "notMade: the claim comes after the pod",
    { objects: [node("a"), incoming({ spec: ephemeral })] },
    {
      all: 'for good, VolumeBinding: waiting for ephemeral volume controller to create the persistentvolumeclaim "new-tmp"',
    },
  ],
  [
    "a claim of that name that is not the pod's",
    { objects: [node("a"), volumeClaim("new-tmp"), incoming({ spec: ephemeral })] },
    { all: "for good, VolumeBinding: PVC ns/new-tmp was not created for pod ns/new (pod is not owner)" },
  ],
]);
