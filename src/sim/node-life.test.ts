import assert from "node:assert/strict";
import { test } from "node:test";
import { cluster, node, podsOf, replicaSet, template } from "../../test/support/tiny.ts";
import { noTiming } from "../cli/timing-fields.ts";
import type { Cluster } from "../model/cluster.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { leftAlone } from "../search/proof/left-alone.ts";
import type { PlannedStep } from "./program.ts";
import { oneCourse, Simulation } from "./simulation.ts";
import { timingOf } from "./timing.ts";

const dayMs = 86_400_000;

/** One replica on the only node, which has a taint that the pod tolerates for so long; null: for good. */
function tolerating(tolerationMs: number | null, fields: Partial<PodTemplate> = {}): Cluster {
  const taint = { key: "flaky", value: "", effect: "NoExecute" } as const;
  const tolerations = [{ key: "flaky", operator: "Exists", value: "", effect: "", tolerationMs } as const];
  const owner = replicaSet("web", { replicas: 1, template: template("web", { tolerations, ...fields }) });
  return cluster({ nodes: [node("n1", { taints: [taint] })], workloads: [owner], pods: podsOf(owner, 1) });
}

function played(of: Cluster, steps: readonly PlannedStep[] = []): Simulation {
  const sim = new Simulation(
    of,
    steps,
    { endpoints: [], supporting: [], services: false },
    { ...oneCourse, span: "most", timing: timingOf(of, noTiming), horizonMs: dayMs },
  );
  sim.runFirst();
  return sim;
}

const times = ({ timeline }: Simulation, type: string): readonly number[] =>
  timeline.filter(({ fact }) => fact.type === type).map(({ atMs }) => atMs);

// processPodOnNode in pkg/controller/tainteviction/taint_eviction.go, v1.36.3.
test("the time that a new pod tolerates a taint begins when it is bound", () => {
  const sim = played(tolerating(300_000));
  const taken = times(sim, "pod-deleted");
  const bound = times(sim, "pod-bound");
  assert.deepEqual(taken.slice(0, 3), [300_000, 600_000, 900_000]);
  assert.deepEqual(bound.slice(0, 2), [300_000, 600_000]);
});

for (const tolerationMs of [300_000, 1_000, 0]) {
  test(`pods that a taint takes after ${tolerationMs} ms, again and again, are followed a few times, and that is said`, () => {
    const of = tolerating(tolerationMs);
    const sim = played(of);
    assert.equal(times(sim, "pod-deleted").length, 11, "the one that was there, and ten more");
    assert.deepEqual(
      [...sim.notModelled.keys()],
      ["pods of ReplicaSet ns/web that the taints of node n1 take again and again"],
    );
    assert.ok(sim.isGoingRound);
    assert.equal(leftAlone(of, timingOf(of, noTiming)).isWhole, false);
  });
}

test("who tolerates a taint for good stays, and nothing is said", () => {
  const of = tolerating(null);
  const sim = played(of);
  assert.deepEqual([times(sim, "pod-deleted"), [...sim.notModelled.keys()], sim.isGoingRound], [[], [], false]);
  assert.equal(leftAlone(of, timingOf(of, noTiming)).isWhole, true);
});

test("nor of many that leave a node together and find a place elsewhere", () => {
  const taint = { key: "flaky", value: "", effect: "NoExecute" } as const;
  const owner = replicaSet("web", { replicas: 30, template: template("web") });
  const of = cluster({
    nodes: [node("n1", { taints: [taint] }), node("n2")],
    workloads: [owner],
    pods: podsOf(owner, 30, { nodeName: "n1" }),
  });
  const sim = played(of);
  assert.deepEqual([times(sim, "pod-deleted").length, sim.isGoingRound], [30, false]);
});

// handleDisruption and ComputeZoneState in pkg/controller/nodelifecycle/node_lifecycle_controller.go, v1.36.3.
for (const [lost, taken] of [
  [2, 2],
  [3, 0],
] as const) {
  test(`of five nodes of a zone ${lost} are lost in one moment: the pods of ${taken} are given up`, () => {
    const names = ["n1", "n2", "n3", "n4", "n5"];
    const owner = replicaSet("web", { replicas: 5, template: template("web") });
    const of = cluster({
      nodes: names.map((name) => node(name)),
      workloads: [owner],
      pods: podsOf(owner, 5).map((pod, at) => ({ ...pod, nodeName: names[at] ?? "" })),
    });
    const sim = played(
      of,
      names.slice(0, lost).map((name) => ({ do: "fail", node: name })),
    );
    assert.equal(times(sim, "pod-deleted").length, taken);
  });
}
