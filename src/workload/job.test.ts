import assert from "node:assert/strict";
import { test } from "node:test";
import { Play } from "../../test/support/play.ts";
import { cluster, job, pod } from "../../test/support/tiny.ts";
import type { Job } from "../model/workload.ts";

/** Read from pkg/controller/job/job_controller.go and backoff_utils.go, v1.36.3. */

function playing(fields: Partial<Job>): Play {
  const load = job("load", fields);
  const pods = Array.from({ length: Math.min(load.parallelism, load.completions ?? 9) }, (_, at) =>
    pod(`load-${at}`, { owner: load.key }),
  );
  const play = new Play(cluster({ workloads: [load], pods })).settle();
  assert.deepEqual(play.said(), []);
  return play;
}

test("job: an evicted pod is replaced 10 s after its deletion began, the next one 20 s after", () => {
  const play = playing({}).delete("ns/load-0");
  assert.deepEqual([play.said(), play.wakes.at(-1)?.atMs], [[], 10_000]);
  play.at(10_000);
  assert.deepEqual(play.said(), ["create ns/load-~1"]);
  play.startAll().delete("ns/load-~1");
  assert.equal(play.wakes.at(-1)?.atMs, 30_000);
});

test("job: with policy Failed the wait begins when the pod is gone", () => {
  const play = playing({ podReplacementPolicy: "Failed" }).delete("ns/load-0").at(4000);
  assert.equal(play.wakes.length, 0);
  play.stopAll();
  assert.equal(play.wakes.at(-1)?.atMs, 14_000);
  play.at(14_000);
  assert.deepEqual(play.said(), ["create ns/load-~1"]);
});

test("job: more failures than backoffLimit end it", () => {
  const play = playing({ backoffLimit: 0, parallelism: 2, completions: 2 }).delete("ns/load-0");
  assert.deepEqual(play.said(), ["delete ns/load-1 by job-controller"]);
  play.stopAll().at(60_000);
  assert.deepEqual(play.pods(), []);
});

test("job: a success counts, and resets the wait", () => {
  const play = playing({ parallelism: 1, completions: 2 });
  play.ledger.setPhase("ns/load-0", "Succeeded");
  play.settle();
  assert.deepEqual(play.said(), ["create ns/load-~1"]);
  play.ledger.setPhase("ns/load-~1", "Succeeded");
  play.settle();
  assert.deepEqual(play.said(), []);
});

test("job: without completions the first success stops new pods", () => {
  const play = playing({ parallelism: 2, completions: null });
  play.ledger.setPhase("ns/load-0", "Succeeded");
  play.delete("ns/load-1").stopAll().at(60_000);
  assert.deepEqual(play.said(), []);
});

test("job: suspended, it deletes its pods; finished, it does nothing", () => {
  const load = job("load", { suspend: true });
  const play = new Play(cluster({ workloads: [load], pods: [pod("load-0", { owner: load.key })] })).settle();
  assert.deepEqual(play.said(), ["delete ns/load-0 by job-controller"]);
  assert.deepEqual(new Play(cluster({ workloads: [job("load", { finished: true })] })).settle().said(), []);
});

test("job: less parallelism deletes pods", () => {
  const play = playing({ parallelism: 2, completions: 2 });
  const spec = play.ledger.workload(job("load").key)?.spec;
  assert.ok(spec?.kind === "Job");
  play.ledger.setSpec(spec.key, { ...spec, parallelism: 1 });
  play.settle();
  assert.deepEqual(play.said(), ["delete ns/load-0 by job-controller"]);
});

test("job: failures before the start count towards the limit and are not waited for", () => {
  const load = job("load", { backoffLimit: 1 });
  const pods = [pod("load-0", { owner: load.key, phase: "Failed", ready: false })];
  assert.deepEqual(new Play(cluster({ workloads: [load], pods })).settle().said(), ["create ns/load-~1"]);
  const over = job("load", { backoffLimit: 0 });
  assert.deepEqual(new Play(cluster({ workloads: [over], pods })).settle().said(), []);
});

test("job: a policy that ignores disruptions keeps them out of the count, not out of the wait", () => {
  const policy = { podReplacementPolicy: "Failed", backoffLimit: 0 } as const;
  const ignoring = playing({ ...policy, onDisruption: "ignore" })
    .delete("ns/load-0")
    .stopAll();
  assert.equal(ignoring.wakes.at(-1)?.atMs, 10_000);
  ignoring.at(10_000);
  assert.deepEqual(ignoring.said(), ["create ns/load-~1"]);
  const counting = playing(policy).delete("ns/load-0").stopAll().at(60_000);
  assert.deepEqual(counting.said(), []);
});

test("job: a policy that fails it on a disruption makes nothing anew", () => {
  const failing = playing({ podReplacementPolicy: "Failed", backoffLimit: 3, onDisruption: "fail-job" })
    .delete("ns/load-0")
    .stopAll()
    .at(600_000);
  assert.deepEqual(failing.said(), []);
});
