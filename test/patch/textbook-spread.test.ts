import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { checkReport } from "../support/assess.ts";
import { fixReport, snapshotOf } from "../support/fix.ts";
import { budget, node, service, workload } from "./small-cluster.ts";

// Two replicas on two open nodes beside two tainted ones, kept apart as every manual says. A real control plane never finished
// the rollout of such a change (test/recordings/gateway-fix-plain): tainted nodes count as empty places, old pods count too.

function cluster(spread: JsonObject): readonly WireObject[] {
  const taints = [{ key: "nvidia.com/gpu", effect: "NoSchedule" }];
  const labelSelector = { matchLabels: { app: "engine" } };
  const constraint = {
    maxSkew: 1,
    topologyKey: "kubernetes.io/hostname",
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector,
  };
  return [
    node("system-1", 4000),
    node("system-2", 4000),
    node("gpu-1", 8000, { taints }),
    node("gpu-2", 8000, { taints }),
    ...workload({
      namespace: "m",
      name: "engine",
      on: ["system-1", "system-2"],
      milliCpu: 500,
      pod: { topologySpreadConstraints: [{ ...constraint, ...spread }] },
    }),
    service("m", "engine", { app: "engine" }, "chat"),
    budget("m", "engine", { maxUnavailable: 1, selector: labelSelector }),
  ];
}

function found(objects: readonly WireObject[]): boolean {
  return checkReport(snapshotOf(objects)).findings.some(({ rule }) => rule === "rollout-cannot-finish");
}

describe("the textbook spread", () => {
  test("is found where somebody has it", () => {
    assert.equal(found(cluster({})), true);
  });

  test("and not what differs from it in one field", () => {
    assert.equal(found(cluster({ matchLabelKeys: ["pod-template-hash"] })), false);
  });

  test("is changed into one whose rollout ends, where the endpoint needs a change", () => {
    const unguarded = cluster({}).filter(({ kind }) => kind !== "PodDisruptionBudget");
    const { after, rollout, changes } = fixReport(snapshotOf(unguarded), { actors: ["kured"] });
    assert.deepEqual(
      after.map(({ verdict }) => verdict),
      ["safe"],
    );
    assert.equal(rollout.verdict, "safe");
    assert.ok(changes.length > 0);
  });
});
