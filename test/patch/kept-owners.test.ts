import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { verdictKinds } from "../../src/patch/prove.ts";
import type { Change, FixReport } from "../../src/report/types.ts";
import { checkReport } from "../support/assess.ts";
import { fixReport, snapshotOf } from "../support/fix.ts";
import { aibrix, ray } from "./kept-clusters.ts";

// Owners whose operator makes the pods itself: a change of theirs is played as the operator carries it out.

function shown({ do: what, target, fields }: Change): string {
  const set = fields.map(({ path, value }) => `${path}=${typeof value === "object" ? "…" : String(value)}`);
  return `${what} ${target.kind} ${target.name}${what === "create" ? "" : ` ${set.join(" ")}`}`;
}

/** Nodes are closed one after the other, and come back. */
const oneByOne = { actors: ["openshift-mco"] };

describe("a StormService", () => {
  test("of one set gets a second one: no rollout goes with it, and it has one more of every role", () => {
    const objects = aibrix({ roles: { prefill: ["n-1"], decode: ["n-2"] }, nodes: ["n-1", "n-2", "n-3", "n-4"] });
    const { changes, after, rollout, cost } = fixReport(snapshotOf(objects), oneByOne);
    assert.deepEqual(changes.map(shown), ["edit StormService pd spec.replicas=2"]);
    assert.deepEqual(cost, { milliCpu: 6000, memoryBytes: 0, gpus: 0 });
    assert.deepEqual([after[0]?.verdict, rollout.verdict], ["undecided", "safe"]);
    assert.deepEqual(madeBy(rollout), Array(2).fill("RoleSet.orchestration.aibrix.ai/models/pd-~1"));
  });

  test("changed in place gets one more of the role that is one, and nothing else", () => {
    const objects = aibrix({
      roles: { prefill: ["n-1"], decode: ["n-2", "n-3"] },
      nodes: ["n-1", "n-2", "n-3", "n-4"],
      updateStrategy: { type: "InPlaceUpdate" },
    });
    const { changes, cost, rollout } = fixReport(snapshotOf(objects), oneByOne);
    assert.deepEqual(changes.map(shown), ["edit StormService pd spec.template.spec.roles[name=prefill].replicas=2"]);
    assert.deepEqual(cost, { milliCpu: 3000, memoryBytes: 0, gpus: 0 });
    assert.deepEqual(madeBy(rollout), ["RoleSet.orchestration.aibrix.ai/models/pd-roleset-0"]);
  });

  test("that has no room for one more set is not changed", () => {
    const objects = aibrix({ roles: { prefill: ["n-1"], decode: ["n-2"] }, nodes: ["n-1", "n-2"] });
    const { changes, cannot } = fixReport(snapshotOf(objects), oneByOne);
    assert.deepEqual(changes.map(shown), []);
    assert.match(cannot[0]?.leastHelp ?? "", /^One more node like .* With changes of StormService models\/pd/);
  });
});

describe("a StormService whose engines stand together", () => {
  const apart = "spec.template.spec.roles[name=engine].template.spec.affinity.podAntiAffinity=…";
  const nodes = ["n-1", "n-2", "n-3"];
  /** Whoever asks no budget takes what stands on one node at once. */
  const noBudgets = { actors: ["gke-host-maintenance"] };

  test("of several sets has them replaced one after the other", () => {
    const objects = aibrix({ roles: { engine: ["n-1"] }, sets: 2, nodes, nodeMilliCpu: 8000 });
    const { changes, rollout } = fixReport(snapshotOf(objects), noBudgets);
    assert.deepEqual(changes.map(shown), [`edit StormService pd ${apart}`]);
    assert.equal(rollout.verdict, "safe");
    assert.deepEqual(
      madeBy(rollout),
      ["pd-~1", "pd-~2"].map((set) => `RoleSet.orchestration.aibrix.ai/models/${set}`),
    );
  });

  const alone = { roles: { engine: ["n-1", "n-1"] }, nodes, nodeMilliCpu: 8000 };

  test("of one set is not changed: replacing it would take the old one first", () => {
    assert.deepEqual(fixReport(snapshotOf(aibrix(alone)), noBudgets).changes.map(shown), []);
  });

  test("of one set that is changed where it stands has its pods replaced one after the other", () => {
    const objects = aibrix({ ...alone, updateStrategy: { type: "InPlaceUpdate" } });
    const { changes, rollout } = fixReport(snapshotOf(objects), noBudgets);
    assert.deepEqual(changes.map(shown), [`edit StormService pd ${apart}`]);
    assert.equal(rollout.verdict, "safe");
    assert.deepEqual(madeBy(rollout), Array(2).fill("RoleSet.orchestration.aibrix.ai/models/pd-roleset-0"));
  });
});

describe("a RayService", () => {
  test("gets a second worker where it holds: in the cluster that serves, and in the service for the next one", () => {
    const objects = ray({ workers: ["n-1"], nodes: ["n-1", "n-2", "n-3"] });
    const { changes, after, rollout } = fixReport(snapshotOf(objects), oneByOne);
    const group = "workerGroupSpecs[groupName=gpu]";
    assert.deepEqual(changes.map(shown), [
      `edit RayCluster serve-a spec.${group}.replicas=2 spec.${group}.maxReplicas=2`,
      `edit RayService serve spec.rayClusterConfig.${group}.replicas=2 spec.rayClusterConfig.${group}.maxReplicas=2`,
    ]);
    assert.deepEqual([after[0]?.verdict, rollout.verdict], ["undecided", "safe"]);
    assert.deepEqual(madeBy(rollout), ["RayCluster.ray.io/models/serve-a"]);
  });

  const together = { workers: ["calm-1", "calm-1"], nodes: ["n-1", "n-2", "n-3"] };

  test("whose workers stand together gets a whole new cluster, which keeps apart what carries its own name", () => {
    const { changes, after, rollout } = fixReport(snapshotOf(ray(together)), oneByOne);
    assert.deepEqual(changes.map(shown), [
      "edit RayService serve spec.rayClusterConfig.workerGroupSpecs[groupName=gpu].template.spec.affinity.podAntiAffinity=…",
    ]);
    assert.deepEqual(changes[0]?.fields[0]?.value, {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          labelSelector: { matchLabels: { "ray.io/group": "gpu" } },
          topologyKey: "kubernetes.io/hostname",
          matchLabelKeys: ["ray.io/cluster"],
        },
      ],
    });
    assert.deepEqual([after[0]?.verdict, rollout.verdict], ["undecided", "safe"]);
    assert.deepEqual(madeBy(rollout), Array(3).fill("RayCluster.ray.io/models/serve-~1"));
  });

  test("without room for a whole new cluster is not changed: the new one would never be ready", () => {
    const { changes, cannot } = fixReport(snapshotOf(ray({ ...together, nodes: ["n-1", "n-2"] })), oneByOne);
    assert.deepEqual(changes.map(shown), []);
    assert.match(cannot[0]?.leastHelp ?? "", /^One more node like/);
  });

  test("that makes no new cluster for a change is not changed either", () => {
    const service = { upgradeStrategy: { type: "None" } };
    assert.deepEqual(fixReport(snapshotOf(ray({ ...together, service })), oneByOne).changes.map(shown), []);
  });
});

describe("what a change is said to lead to is what `check` says of the cluster it leads to", () => {
  /** The second worker goes to calm-1. */
  for (const [what, nodes, operatorOn, expected] of [
    ["each worker by itself, and the operator beside neither", ["n-1", "m-1", "ops-1"], "ops-1", "safe"],
    ["the operator goes with the head", ["n-1", "m-1"], "calm-1", "undecided"],
  ] as const) {
    test(`${what}: ${expected}`, () => {
      const objects = (workers: readonly string[]): ReturnType<typeof ray> => ray({ workers, nodes, operatorOn });
      const { before, after, afterLiveOnly, secondMaintenance } = fixReport(snapshotOf(objects(["n-1"])), oneByOne);
      const changed = checkReport(snapshotOf(objects(["n-1", "calm-1"])), { ...oneByOne, scenarios: verdictKinds });
      assert.equal(before[0]?.verdict, "unsafe");
      assert.equal(after[0]?.verdict, expected);
      assert.equal(changed.endpoints[0]?.verdict, expected);
      assert.deepEqual(afterLiveOnly, after);
      // By then every worker is a new one.
      assert.equal(secondMaintenance[0]?.verdict, "undecided");
    });
  }

  test("help from outside is not said to make safe what stays undecided", () => {
    const objects = ray({ workers: ["calm-1", "calm-1"], nodes: ["n-1", "n-2"] });
    const { cannot } = fixReport(snapshotOf(objects), oneByOne);
    assert.match(cannot[0]?.leastHelp ?? "", /^One more node like /);
    assert.doesNotMatch(cannot[0]?.leastHelp ?? "", /it is safe then/);
    assert.match(cannot[0]?.leastHelp ?? "", /It is undecided: RayCluster is played as /);
  });

  test("with nothing changed it is what `check` says of the cluster as it is", () => {
    const objects = ray({ workers: ["n-1", "calm-1"], nodes: ["n-1", "m-1", "ops-1"], operatorOn: "ops-1" });
    const { changes, before, after } = fixReport(snapshotOf(objects), oneByOne);
    assert.deepEqual(changes, []);
    assert.equal(after[0]?.verdict, "safe");
    assert.deepEqual(after, before);
  });
});

function madeBy({ timeline }: FixReport["rollout"]): readonly string[] {
  return timeline.flatMap((each) => (each.type === "pod-created" ? [each.owner] : []));
}
