import { type ClusterSize, clusterObjects } from "../../bench/generate/cluster.ts";
import { explain } from "../../src/scheduler/explain.ts";
import { snapshotOrder } from "../../src/scheduler/node-order.ts";
import { schedule } from "../../src/scheduler/schedule.ts";
import type { Move } from "../../src/search/n-minus-one/n-minus-one.ts";
import type { Ledger } from "../../src/sim/ledger.ts";
import type { Snapshot, WireObject } from "../../src/wire/snapshot.ts";
import { snapshotOf } from "../oracle/ours.ts";

/** A cluster of the benchmark's. */
export function madeUpSnapshot(size: ClusterSize): Snapshot {
  const items = Array.from(clusterObjects(size), (object) => ({
    object: object as WireObject,
    source: { file: "made-up", line: null },
  }));
  return { ...snapshotOf([], 36), [Symbol.iterator]: () => items[Symbol.iterator]() };
}

export function saidOf(ledger: Ledger, moves: readonly Move[]): readonly string[] {
  return moves.map((move) => {
    const what = move.outcome === "placed" ? move.equals.join(" ") : move.outcome;
    return `${ledger.podByUid(move.uid)?.key}: ${what}`;
  });
}

/** What the readable scheduler says of the same pods: the node closed, all of them taken off, then placed one after the other. */
export function referenceOf(ledger: Ledger, closed: number, moves: readonly Move[]): readonly string[] {
  const order = snapshotOrder(ledger.nodes);
  const { journal } = ledger;
  const mark = journal.mark();
  ledger.setUnschedulable(order[closed]?.name ?? "", true);
  const leaving = moves.flatMap(({ uid, outcome }) => {
    const pod = ledger.podByUid(uid);
    return pod === undefined ? [] : [{ pod, outcome }];
  });
  for (const { pod } of leaving) ledger.removePod(pod.key);
  let start = 0;
  const told = leaving.map(({ pod, outcome }) => {
    if (outcome === "not-told") return `${pod.key}: not-told`;
    const made = ledger.createPod({ ...pod, name: null });
    const asked = { start, percentageOfNodesToScore: 0 };
    const result = schedule(ledger, made, asked);
    if (result.outcome !== "bind") {
      ledger.removePod(made.key);
      return `${pod.key}: nowhere`;
    }
    start = (start + explain(ledger, made, asked).evaluated) % order.length;
    const top = new Set(result.top);
    const equals = order.filter(({ name }) => top.has(name)).map(({ name }) => name);
    ledger.bind(made.key, equals[0] ?? "");
    return `${pod.key}: ${equals.join(" ")}`;
  });
  journal.undoTo(mark);
  return told;
}
