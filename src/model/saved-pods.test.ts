import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainPod } from "../../test/support/plain-pods.ts";
import { pod } from "../../test/support/tiny.ts";
import { CodecReader, CodecWriter } from "../wire/codec.ts";
import type { Pod } from "./pod.ts";
import { pods } from "./saved-pods.ts";

const time = fc.option(fc.integer({ min: -1, max: 2_000_000_000_000 }));

const drawn: fc.Arbitrary<Pod> = fc
  .record({
    nodeName: fc.constantFrom("", "n1", "n2"),
    restarts: fc.nat(),
    createdAtMs: time,
    startedAtMs: time,
    scheduledAtMs: time,
    readyAtMs: time,
    claimNames: fc.constantFrom(new Map<string, string>(), new Map([["gpu", "gpu-1"]])),
    ready: fc.boolean(),
    deleting: fc.boolean(),
    preempted: fc.boolean(),
    mirror: fc.boolean(),
    phase: fc.constantFrom("Pending", "Running", "Succeeded", "Failed", "Unknown"),
    owner: fc.constantFrom(null, "ReplicaSet.apps/default/web"),
    ordinal: fc.option(fc.nat()),
    finalizers: fc.constantFrom([], ["foregroundDeletion"]),
    file: fc.constantFrom("a", "b", "file"),
    line: fc.option(fc.nat()),
  })
  .map(({ file, line, ...fields }) => ({ ...pod("web"), ...fields, source: { file, line } }));

test("pods that are written are the same when they are read", () => {
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 8 }), (own) => {
      const named = own.map((each, at) => ({ ...each, key: `${each.namespace}/p${at}`, name: `p${at}` }));
      const writer = new CodecWriter("file");
      writer.record(() => pods.write(writer, named));
      const read = new CodecReader("file", writer.written).whole(pods);
      assert.deepEqual(read?.map(plainPod), named.map(plainPod));
    }),
  );
});
