import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Worker } from "node:worker_threads";
import { defaultCheckOptions, readExample } from "../../test/support/assess.ts";
import { readLarge } from "../../test/support/large.ts";
import { check } from "../assess.ts";
import { loadPaths } from "../load/from-files.ts";
import { writeSnapshotFile } from "../load/snapshot-file.ts";
import type { Snapshot } from "../wire/snapshot.ts";
import { Pool } from "./pool.ts";

const options = { ...defaultCheckOptions, traces: 10_000 };

/** A check with that pool. The main thread does nothing before another has told of a task; then something may happen. */
async function checked(
  snapshot: Snapshot,
  pool: Pool,
  then: () => Promise<unknown> | undefined = () => undefined,
): Promise<string> {
  const steps = check(snapshot, options, pool);
  let isTold = false;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return JSON.stringify(step.value);
    if (pool.threads.length > 0 && !isTold && step.value.doing.startsWith("plays")) {
      await Promise.any(pool.threads.map((thread) => once(thread, "message")));
      isTold = true;
      await then();
    }
    await pool.turn();
  }
}

const madeUp = (): Snapshot => readLarge("made up, with GPUs");
const incident = (): Snapshot => readLarge("an incident among others");

const folder = mkdtempSync(join(tmpdir(), "holdfast-pool-"));
after(() => rmSync(folder, { recursive: true }));

/** With the model in it that was made of its objects. */
function saved(): Snapshot {
  const file = join(folder, "cluster.holdfast.gz");
  if (!existsSync(file)) writeSnapshotFile(file, incident(), { anonymize: false, toolVersion: "0.0.0-test" });
  return loadPaths([file]);
}

for (const [name, read, counts] of [
  ["objects", madeUp, [1, 3]],
  ["a snapshot file", saved, [2]],
] as const) {
  test(`the same report of ${name} with any number of threads, and when one ends in between`, async () => {
    const alone = await checked(read(), new Pool(options, 0));
    for (const workers of counts) {
      const pool = new Pool(options, workers);
      assert.equal(await checked(read(), pool), alone, `${workers} workers`);
      assert.equal(pool.threads.length, workers);
      await pool.end();
      assert.deepEqual(pool.threads, []);
      const ending = new Pool(options, workers);
      const ended = await checked(read(), ending, () => ending.threads[0]?.terminate());
      assert.equal(ended, alone, `${workers} workers, one of which ends`);
      assert.equal(ending.threads.length, workers - 1);
      await ending.end();
    }
  });
}

const faults: readonly (readonly [string, (thread: Worker) => unknown])[] = [
  ["fails", (thread) => thread.postMessage("nothing it understands")],
  ["is not understood", (thread) => thread.emit("messageerror", new Error("for a test"))],
];

for (const [name, fail] of faults) {
  test(`a thread that ${name} costs nothing but its help`, async () => {
    const pool = new Pool(options, 1);
    const failed = async (): Promise<void> => {
      for (const thread of pool.threads) {
        const ended = new Promise((resolve) => thread.once("exit", resolve));
        fail(thread);
        await ended;
      }
    };
    assert.equal(await checked(incident(), pool, failed), await checked(incident(), new Pool(options, 0)));
    assert.deepEqual(pool.threads, []);
  });
}

test("a check that is stopped leaves no thread behind", async () => {
  const pool = new Pool(options, 2);
  const steps = check(madeUp(), options, pool);
  for (let step = steps.next(); step.done !== true && pool.threads.length === 0; step = steps.next());
  assert.equal(pool.threads.length, 2);
  await pool.end();
  assert.deepEqual(pool.threads, []);
});

test("no thread is started for a small cluster, nor for one whose pools are played whole", async () => {
  const few = new Pool(options, null);
  await checked(madeUp(), few);
  assert.deepEqual(few.threads, []);
  const asked = new Pool(options, 2);
  for (const _ of check(readExample("modelplane-incident"), options, asked));
  assert.deepEqual(asked.threads, []);
});
