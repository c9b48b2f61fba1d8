import assert from "node:assert/strict";
import { test } from "node:test";
import { node, viewOf } from "../../test/support/scheduling.ts";
import { snapshotOrder } from "./node-order.ts";

// Read from backend/cache/node_tree.go and node/topology/helpers.go GetZoneKey, Kubernetes 1.36.3.
const zone = "topology.kubernetes.io/zone";
const region = "topology.kubernetes.io/region";
const oldZone = "failure-domain.beta.kubernetes.io/zone";

function order(...labels: readonly Readonly<Record<string, string>>[]): string {
  const objects = labels.map((one, i) => node(`n${i}`, { labels: one }));
  return snapshotOrder(viewOf({ objects }).nodes)
    .map(({ name }) => name)
    .join(" ");
}

test("node order: one of each zone in turn, zones as they appear", () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => ({ [zone]: name }));
  assert.ok(a && b && c);
  assert.equal(order(b, b, a, b, a, c), "n0 n2 n5 n1 n4 n3");
});

test("node order: nodes without a zone are a zone too", () => {
  assert.equal(order({}, {}, { [zone]: "a" }), "n0 n2 n1");
});

test("node order: the same zone name in another region is another zone", () => {
  assert.equal(
    order({ [zone]: "a", [region]: "x" }, { [zone]: "a", [region]: "x" }, { [zone]: "a", [region]: "y" }),
    "n0 n2 n1",
  );
});

test("node order: the old label goes before the new one", () => {
  assert.equal(order({ [oldZone]: "a", [zone]: "b" }, { [zone]: "a" }, { [zone]: "b" }), "n0 n2 n1");
});
