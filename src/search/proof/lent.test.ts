import assert from "node:assert/strict";
import { test } from "node:test";
import { built } from "../../../test/search/built.ts";
import { noTiming } from "../../cli/timing-fields.ts";
import type { Actor } from "../../maintenance/actor.ts";
import { aksUpgrade } from "../../maintenance/actors/aks-upgrade.ts";
import { eksManaged } from "../../maintenance/actors/eks-managed.ts";
import { lanesOf } from "../../sim/lanes.ts";
import { timingOf } from "../../sim/timing.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import { findsWhileLent, lendsFirst } from "./lent.ts";
import { standingOf } from "./standing.ts";

/** Of 1,000m each; a pod of 400m asks for a place, and each node holds so much besides. */
const rows: readonly (readonly [string, Actor, readonly number[], boolean])[] = [
  ["two are lent: one full node's pods fill one of them", eksManaged, [500, 0, 0], true],
  ["and two where they are as large", eksManaged, [900, 0, 0], false],
  ["each further one brings its place with it", eksManaged, [500, 500, 500, 500, 500], true],
  ["but may bring more than that takes", eksManaged, [300, 900, 900, 900], false],
  ["one is lent and one closed: as many as before", aksUpgrade, [100, 100, 100], true],
  ["which may all be filled", aksUpgrade, [590, 600, 600], false],
];

for (const [name, actor, held, expected] of rows) {
  test(name, () => {
    const cluster = built(held.flatMap(nodeWith));
    const standing = standingOf(cluster, timingOf(cluster, noTiming));
    const [lane] = lanesOf(cluster, actor, cluster.nodes, "any");
    assert.ok(lane !== undefined && lendsFirst(lane));
    const rooms = standing.roomsWhile(lane.nodes);
    const template = [...standing.view.pods].find((pod) => pod.name === "asks-0")?.template;
    assert.ok(template !== undefined);
    assert.equal(findsWhileLent(template, lane, { standing, rooms }), expected);
  });
}

function nodeWith(milliCpu: number, index: number): readonly WireObject[] {
  const name = `node-${index}`;
  const size = { cpu: "1000m", memory: "64Gi", pods: "110" };
  return [
    {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { "kubernetes.io/hostname": name, "node-pool": "main" } },
      status: { capacity: size, allocatable: size, conditions: [{ type: "Ready", status: "True" }] },
    },
    ...(index === 0 ? podOn(name, "asks-0", 400) : []),
    ...(milliCpu > 0 ? podOn(name, `held-${index}`, milliCpu) : []),
  ];
}

function podOn(nodeName: string, name: string, milliCpu: number): readonly WireObject[] {
  const labels = { app: name };
  const resources = { requests: { cpu: `${milliCpu}m`, memory: "1Mi" } };
  const spec = { containers: [{ name: "main", image: "registry.example/main:1", resources }] };
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid: name, controller: true };
  return [
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { namespace: "some", name, uid: name },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "some", name, labels, ownerReferences: [owner] },
      spec: { ...spec, nodeName },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    },
  ];
}
