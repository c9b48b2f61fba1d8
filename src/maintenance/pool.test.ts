import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import { poolsOf } from "./pool.ts";

const node = (name: string, fields: string): string => `
---
apiVersion: v1
kind: Node
metadata: {name: ${name}, labels: {kubernetes.io/hostname: ${name}${fields}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}`;

const pools = (yaml: string): Record<string, readonly string[]> =>
  Object.fromEntries(poolsOf(clusterFrom(yaml).nodes).map(({ name, nodes }) => [name, nodes.map((n) => n.name)]));

test("the value of a pool label", () => {
  const gke = (name: string, pool: string): string => node(name, `, cloud.google.com/gke-nodepool: ${pool}}}`);
  assert.deepEqual(pools(gke("a", "gpu") + gke("b", "system") + gke("c", "gpu")), { gpu: ["a", "c"], system: ["b"] });
});

test("else nodes alike in labels, taints and size, called by what their names share", () => {
  const yaml =
    node("system-1", "}}") +
    node("system-2", ", topology.kubernetes.io/zone: z2}}") +
    node("gpu-1", "}}\nspec: {taints: [{key: gpu, effect: NoSchedule}]}");
  assert.deepEqual(pools(yaml), { gpu: ["gpu-1"], system: ["system-1", "system-2"] });
});

test("a cordon does not make a pool of its own", () => {
  const cordoned =
    "}}\nspec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}";
  assert.deepEqual(pools(node("n-1", "}}") + node("n-2", cordoned)), { n: ["n-1", "n-2"] });
});

test("labels that name the machine, say where it stands or when it was looked at make no pool of their own", () => {
  const own = (id: string): string =>
    `, vendor.example/node-id: n-${id}, topology.ebs.csi.aws.com/zone: z${id}, nvidia.com/gfd.timestamp: "17${id}"}}`;
  assert.deepEqual(pools(node("gpu-1", own("1")) + node("gpu-2", own("2"))), { gpu: ["gpu-1", "gpu-2"] });
  const kinds = (of: string): string => `, nvidia.com/gpu.product: ${of}}}`;
  assert.deepEqual(pools(node("gpu-1", kinds("h100")) + node("gpu-2", kinds("a100"))), {
    gpu: ["gpu-1"],
    "gpu-2": ["gpu-2"],
  });
});
