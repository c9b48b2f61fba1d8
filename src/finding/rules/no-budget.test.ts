import assert from "node:assert/strict";
import { test } from "node:test";
import { aibrix, ray } from "../../../test/patch/kept-clusters.ts";
import { node, service, workload } from "../../../test/patch/small-cluster.ts";
import { checkReport } from "../../../test/support/assess.ts";
import { snapshotOf } from "../../../test/support/fix.ts";
import type { WireObject } from "../../wire/snapshot.ts";

function remediesOf(objects: readonly WireObject[]): readonly string[] {
  const { findings } = checkReport(snapshotOf(objects), { scenarios: ["drain-one-node"] });
  return findings.filter(({ rule }) => rule === "no-budget").map(({ remedy }) => remedy);
}

test("over pods whose controller has a scale it is a budget of one away", () => {
  const objects = [
    ...["n-1", "n-2"].map((name) => node(name, 4000)),
    ...workload({ namespace: "m", name: "engine", on: ["n-1", "n-2"], milliCpu: 1000 }),
    service("m", "engine", { app: "engine" }, "chat"),
  ];
  assert.deepEqual(remediesOf(objects), ["Create a PodDisruptionBudget with maxUnavailable 1 over these pods."]);
});

test("over a RayCluster's workers, which has none, it is all of them but one", () => {
  const nodes = ["n-1", "n-2", "n-3"];
  const [two] = remediesOf(ray({ workers: ["n-1", "n-2"], nodes }));
  assert.match(
    two ?? "",
    /^Create a PodDisruptionBudget with minAvailable 1 over these pods\. An integer minAvailable/,
  );
  const [three] = remediesOf(ray({ workers: nodes, nodes }));
  assert.match(three ?? "", / with minAvailable 2 over /);
});

test("where all sets of a StormService count together it is all pods of theirs but one", () => {
  const objects = aibrix({
    roles: { prefill: ["n-1"], decode: ["n-2"] },
    sets: 2,
    nodes: ["n-1", "n-2"],
    nodeMilliCpu: 8000,
  });
  for (const remedy of remediesOf(objects)) assert.match(remedy, / with minAvailable 3 over /);
  assert.ok(remediesOf(objects).length > 0);
});
