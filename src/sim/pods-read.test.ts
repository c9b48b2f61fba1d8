import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { madeUpSnapshot } from "../../test/support/n-minus-one.ts";
import { plainPod, plainPods } from "../../test/support/plain-pods.ts";
import { buildCluster } from "../model/build.ts";
import { PodsRead } from "./pods-read.ts";

const cluster = buildCluster(madeUpSnapshot({ nodes: 5, pods: 120, seed: 1 }));

test("pods are numbered in order of creation, those of one moment as they were read", () => {
  const times = fc.oneof(fc.nat(3), fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }));
  const moment = fc.oneof(fc.constant(null), times, fc.constantFrom(1.25, 1.5));
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 120 }), (moments) => {
      const pods = cluster.pods
        .slice(0, moments.length)
        .map((pod, at) => ({ ...plainPod(pod), createdAtMs: moments[at] ?? null }));
      const expected = [...pods].sort((a, b) => (a.createdAtMs ?? 0) - (b.createdAtMs ?? 0));
      assert.deepEqual(
        PodsRead.of({ ...cluster, pods }).pods.map(({ key }) => key),
        expected.map(({ key }) => key),
      );
    }),
  );
});

for (const [what, asked] of [
  ["in columns", cluster],
  ["with fields of their own", plainPods(cluster)],
] as const) {
  test(`pods ${what} are found by their node, with what they have in common`, () => {
    const gone = { ...plainPod(asked.pods[0] ?? assert.fail()), nodeName: "gone" };
    const waits = { ...gone, nodeName: "" };
    const ended = asked.pods.slice(1, 40).map((pod) => ({ ...plainPod(pod), phase: "Succeeded" as const }));
    const read = PodsRead.of({ ...asked, pods: [...asked.pods, gone, waits, ...ended] });
    const uids = [...read.pods.keys()];
    for (const { name } of asked.nodes) {
      const there = uids.filter((uid) => read.at(uid).nodeName === name);
      assert.deepEqual([...read.onNode(name)], there);
    }
    assert.deepEqual(
      Array.from(read.onNode(""), (uid) => read.at(uid).nodeName),
      ["gone", ""].filter((name) => uids.some((uid) => read.at(uid).nodeName === name)),
    );
    assert.deepEqual([...read.onNode("gone")], []);
    for (const uid of uids) {
      const { owner, requests, phase, deleting, mirror } = read.at(uid);
      const kin = read.kinAt(uid);
      assert.deepEqual(
        [kin.owner, kin.requests, kin.phase, kin.deleting, kin.mirror],
        [owner, requests, phase, deleting, mirror],
      );
    }
  });
}

test("names that a ledger made up are found in a cluster that was played before", () => {
  const pod = plainPod(cluster.pods[0] ?? assert.fail());
  const made = { ...pod, key: `${pod.key}-~1` };
  assert.equal(PodsRead.of(cluster).uidOf(made.key), undefined);
  const after = PodsRead.of({ ...cluster, pods: [...cluster.pods, made] });
  assert.equal(after.find(made.key), made);
  assert.equal(after.uidOf(`${pod.key}-~2`), undefined);
});
