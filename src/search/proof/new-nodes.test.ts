import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../../test/support/cluster.ts";
import { noTiming } from "../../cli/timing-fields.ts";
import type { Actor } from "../../maintenance/actor.ts";
import { clusterApi } from "../../maintenance/actors/cluster-api.ts";
import { kured } from "../../maintenance/actors/kured.ts";
import { lanesOf } from "../../sim/lanes.ts";
import { timingOf } from "../../sim/timing.ts";
import { standForOldOnes } from "./new-nodes.ts";
import { standingOf } from "./standing.ts";

interface Odd {
  readonly hostname?: string;
  readonly taints?: string;
  readonly podSpec?: string;
  readonly more?: string;
}

const stands = (actor: Actor, { hostname = "n1", taints = "[]", podSpec = "", more = "" }: Odd = {}): boolean => {
  const cluster = clusterFrom(`
apiVersion: v1
kind: Node
metadata: { name: n1, labels: { kubernetes.io/hostname: ${hostname}, pool: gpu } }
spec: { taints: ${taints} }
status: { allocatable: { cpu: "4", memory: 8Gi, pods: "110" }, conditions: [{ type: Ready, status: "True" }] }
---
apiVersion: v1
kind: Pod
metadata: { name: p1, namespace: serving, uid: p1 }
spec: { nodeName: n1, containers: [{ name: main, image: m }], ${podSpec} }
status: { phase: Running, conditions: [{ type: Ready, status: "True" }] }
${more}`);
  return standForOldOnes(
    standingOf(cluster, timingOf(cluster, noTiming)),
    lanesOf(cluster, actor, cluster.nodes, "any"),
  );
};

test("a new node stands for the old one whose shape it has", () => {
  assert.ok(stands(clusterApi));
  assert.ok(stands(clusterApi, { podSpec: "nodeSelector: { pool: gpu }" }));
  assert.ok(stands(clusterApi, { taints: "[{ key: gpu, effect: NoSchedule }]" }));
});

test("not where a pod asks for the old one by its name", () => {
  const byName = `affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [{ key: metadata.name, operator: In, values: [n1] }] }] } } }`;
  assert.ok(!stands(clusterApi, { podSpec: "nodeSelector: { kubernetes.io/hostname: n1 }" }));
  assert.ok(!stands(clusterApi, { podSpec: byName }));
});

test("not where both would be one host, or a taint of the actor's own goes with the old one", () => {
  assert.ok(!stands(clusterApi, { hostname: "host-1" }));
  const [mark] = clusterApi.marks;
  assert.ok(mark !== undefined);
  assert.ok(!stands(clusterApi, { taints: `[{ key: ${mark.key}, effect: ${mark.effect} }]` }));
});

test("a DaemonSet's pod that is still to come is coming to either, but for one that is for the old one alone", () => {
  const more = (spec: string): string => `---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent, namespace: serving, uid: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template: { metadata: { labels: { app: agent } }, spec: { containers: [{ name: main, image: m }], ${spec} } }
`;
  assert.ok(stands(clusterApi, { more: more("") }));
  assert.ok(!stands(clusterApi, { more: more("nodeSelector: { kubernetes.io/hostname: n1 }") }));
});

test("nodes that come back themselves need nobody to stand for them", () => {
  assert.ok(stands(kured, { hostname: "host-1", podSpec: "nodeSelector: { kubernetes.io/hostname: n1 }" }));
});
