import assert from "node:assert/strict";
import { test } from "node:test";
import { buildCluster } from "../../src/model/build.ts";
import type { Cluster } from "../../src/model/cluster.ts";
import type { PodView } from "../../src/model/view.ts";
import type { SchedulingResult } from "../../src/scheduler/result.ts";
import { anyStart, schedule } from "../../src/scheduler/schedule.ts";
import { fastScheduling } from "../../src/search/n-minus-one/places/schedule.ts";
import { Journal } from "../../src/sim/journal.ts";
import { Ledger } from "../../src/sim/ledger.ts";
import { generateCluster } from "../oracle/generate/cluster.ts";
import { type Draw, drawFrom } from "../oracle/generate/draw.ts";
import { snapshotOf } from "../oracle/ours.ts";
import { madeUpSnapshot } from "../support/n-minus-one.ts";
import { plainPod } from "../support/plain-pods.ts";

/**
 * The scheduler over columns against the readable one, on the made-up clusters that the latter is held against the real one with:
 * every pod, then after each of some changes, then after taking them back.
 */
const seeds = Number(process.env["PLACES_SEEDS"] ?? 400);
const firstSeed = Number(process.env["PLACES_FIRST"] ?? 1);

test("columns answer as the scheduler does, whatever changed before", () => {
  let asked = 0;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const minor = 34 + (seed % 4);
    const question = generateCluster(seed, minor);
    const journal = new Journal();
    const ledger = new Ledger(waiting(buildCluster(snapshotOf(question.objects, minor)), question.pods), journal);
    const draw = drawFrom(seed);
    const fast = fastScheduling("any");
    const fromFirst = fastScheduling("first");
    const compareAll = (after: string): void => {
      for (const key of question.pods) {
        const pod = ledger.pod(key);
        if (pod === undefined || pod.node !== null) continue;
        asked += 1;
        const reference = schedule(ledger, pod, anyStart);
        assert.deepEqual(said(fast(ledger, pod)), said(reference), `seed ${seed}, ${key} ${after}`);
        assert.ok(isOneOf(fromFirst(ledger, pod), reference), `seed ${seed}, ${key} ${after}, from the first node on`);
      }
    };
    compareAll("at first");
    const mark = journal.mark();
    for (let step = 0; step < 4; step += 1) {
      const what = change(ledger, draw, question.pods);
      compareAll(`after ${what}`);
    }
    journal.undoTo(mark);
    compareAll("after taking it back");
  }
  assert.ok(asked > seeds, "pods were asked about");
});

test("of more nodes than are looked at, columns know those it could pick from each start", () => {
  const cluster = buildCluster(madeUpSnapshot({ nodes: 130, pods: 2_000, seed: 3 }));
  const journal = new Journal();
  const ledger = new Ledger(cluster, journal);
  const fast = fastScheduling("any");
  const movable = [...ledger.pods].filter(({ owner }) => owner?.includes("ReplicaSet") === true);
  for (let at = 0; at < movable.length; at += 60) {
    const pod = movable[at];
    if (pod === undefined) continue;
    const mark = journal.mark();
    ledger.removePod(pod.key);
    const made = ledger.createPod({ ...pod, name: null });
    assert.deepEqual(said(fast(ledger, made)), said(schedule(ledger, made, anyStart)), pod.key);
    journal.undoTo(mark);
  }
});

/** The pods the question is about wait for a place. */
function waiting(cluster: Cluster, pods: readonly string[]): Cluster {
  const asked = new Set(pods);
  return {
    ...cluster,
    pods: cluster.pods.map((pod) => (asked.has(pod.key) ? { ...plainPod(pod), nodeName: "" } : pod)),
  };
}

function said(result: SchedulingResult): unknown {
  return result.outcome === "bind" ? { outcome: "bind", top: result.top, feasible: result.feasible } : result;
}

/** What one start gives is among what any start may give. */
function isOneOf(one: SchedulingResult, any: SchedulingResult): boolean {
  if (one.outcome !== "bind" || any.outcome !== "bind") return one.outcome === any.outcome;
  return one.top.length > 0 && one.top.every((node) => any.top.includes(node));
}

function change(ledger: Ledger, draw: Draw, pods: readonly string[]): string {
  const placed = [...ledger.pods].filter((pod) => pod.node !== null);
  const node = draw.pick(ledger.nodes);
  const pod: PodView | undefined = placed.length === 0 ? undefined : draw.pick(placed);
  switch (draw.int(0, 4)) {
    case 0:
      ledger.setUnschedulable(node.name, !node.unschedulable);
      return `cordoning ${node.name}`;
    case 1:
      if (pod === undefined) return "nothing";
      ledger.markTerminating(pod.key, false);
      return `deleting ${pod.key}`;
    case 2:
      if (pod === undefined) return "nothing";
      ledger.removePod(pod.key);
      return `removing ${pod.key}`;
    case 3:
      ledger.setTaints(node.name, [
        ...node.taints,
        { key: "late", value: "", effect: draw.pick(["NoSchedule", "PreferNoSchedule"] as const) },
      ]);
      return `tainting ${node.name}`;
    default: {
      for (const key of pods) {
        const waits = ledger.pod(key);
        if (waits === undefined || waits.node !== null) continue;
        const result = schedule(ledger, waits, anyStart);
        const [first] = result.outcome === "bind" ? result.top : [];
        if (first === undefined) continue;
        ledger.bind(key, first);
        return `binding ${key} to ${first}`;
      }
      return "nothing";
    }
  }
}
