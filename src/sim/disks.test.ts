import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import { noTiming } from "../cli/timing-fields.ts";
import type { Cluster } from "../model/cluster.ts";
import { drainStep, type PlannedStep } from "./program.ts";
import { oneCourse, Simulation } from "./simulation.ts";
import { timingOf } from "./timing.ts";

/** Pods of one ReplicaSet on n1 that mount one claim. */
function sharing(replicas: number, mode: "ReadWriteOnce" | "ReadWriteMany"): Cluster {
  const spec = {
    terminationGracePeriodSeconds: 10,
    containers: [{ name: "main", image: "m1:1" }],
    volumes: [{ name: "cache", persistentVolumeClaim: { claimName: "cache" } }],
  };
  const labels = { app: "m1" };
  const meta = (name: string, more: object = {}): object => ({ name, namespace: "ns", ...more });
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "m1", uid: "r", controller: true };
  const pods = Array.from({ length: replicas }, (_, index) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: meta(`m1-${"ab"[index]}`, { labels, ownerReferences: [owner] }),
    spec: { ...spec, nodeName: "n1" },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  }));
  const objects = [
    ...["n1", "n2"].map((name) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name },
      status: { allocatable: { cpu: "8", memory: "8Gi", pods: "9" }, conditions: [{ type: "Ready", status: "True" }] },
    })),
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "disk" },
      spec: { accessModes: [mode], capacity: { storage: "1Gi" }, csi: { driver: "d", volumeHandle: "1" } },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: meta("cache", { annotations: { "pv.kubernetes.io/bind-completed": "yes" } }),
      spec: { accessModes: [mode], volumeName: "disk", storageClassName: "" },
    },
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: meta("m1", { uid: "r", labels }),
      spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
    ...pods,
  ];
  return clusterFrom(objects.map((object) => JSON.stringify(object)).join("\n---\n"));
}

/** When pods were told to stop, were bound and were Ready, s. */
function times(of: Cluster, steps: readonly PlannedStep[]): Readonly<Record<string, readonly number[]>> {
  const seconds = (s: number): { leastMs: number; mostMs: number } => ({ leastMs: 1000 * s, mostMs: 1000 * s });
  const timing = timingOf(of, {
    ...noTiming,
    podStart: [{ pattern: "*", span: seconds(20) }],
    podStop: [{ pattern: "*", span: seconds(7) }],
  });
  const sim = new Simulation(
    of,
    steps,
    { endpoints: [], supporting: [], services: false },
    { ...oneCourse, span: "most", timing, horizonMs: 86_400_000 },
  );
  sim.runFirst();
  const at = (type: string): readonly number[] =>
    sim.timeline.filter(({ fact }) => fact.type === type).map(({ atMs }) => atMs / 1000);
  return { deleted: at("pod-deleted"), bound: at("pod-bound"), ready: at("pod-ready") };
}

const drain = drainStep({
  do: "drain",
  nodes: ["n1"],
  flags: ["--force"],
  concurrent: false,
  stopAfterMs: null,
  forceAfterMs: null,
});
const outOfService = {
  do: "taint",
  node: "n1",
  taint: { key: "node.kubernetes.io/out-of-service", value: "", effect: "NoExecute" },
  remove: false,
} as const;

// pkg/controller/volume/attachdetach/reconciler/reconciler.go, v1.36.3.
test("a new pod starts when the old one, that has the disk, is gone", () => {
  assert.deepEqual(times(sharing(1, "ReadWriteOnce"), [drain]).ready, [27]);
  assert.deepEqual(times(sharing(1, "ReadWriteMany"), [drain]).ready, [20]);
});

test("and of two that wait for it both, where they come to one node", () => {
  assert.deepEqual(times(sharing(2, "ReadWriteOnce"), [drain]).ready, [27, 27]);
});

test("a dead machine keeps the disk: the new pod never starts", () => {
  const { deleted, bound, ready } = times(sharing(1, "ReadWriteOnce"), [{ do: "fail", node: "n1" }]);
  assert.deepEqual([deleted, bound, ready], [[350], [350], []]);
  assert.deepEqual(times(sharing(1, "ReadWriteMany"), [{ do: "fail", node: "n1" }]).ready, [370]);
});

test("until its node is deleted: then it is taken away by force, six minutes after the pod is gone", () => {
  const gone = [
    { do: "fail", node: "n1" },
    { do: "wait", forMs: 400_000 },
    { do: "deleteNode", node: "n1" },
  ] as const;
  // At 400 s the node goes, at 460 s its pod is collected.
  assert.deepEqual(times(sharing(1, "ReadWriteOnce"), gone).ready, [460 + 360 + 20]);
});

test("or the node is marked out of service: then at once", () => {
  const marked = [{ do: "fail", node: "n1" }, { do: "wait", forMs: 400_000 }, outOfService] as const;
  assert.deepEqual(times(sharing(1, "ReadWriteOnce"), marked).ready, [420]);
});
