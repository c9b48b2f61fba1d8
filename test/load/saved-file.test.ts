import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { loadPaths } from "../../src/load/from-files.ts";
import { defaultLimits } from "../../src/load/limits.ts";
import { savedFileAt, savedModelMembers } from "../../src/load/saved-file.ts";
import { writeSnapshotFile } from "../../src/load/snapshot-file.ts";
import { buildCluster } from "../../src/model/build.ts";
import type { Pod } from "../../src/model/pod.ts";
import { readCluster, writtenCluster } from "../../src/model/saved-model.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { recall } from "../../src/search/known.ts";
import { asItStands } from "../../src/sim/as-it-stands.ts";
import { restlessOf } from "../../src/sim/at-rest.ts";
import { allLoads, loadsOf } from "../../src/sim/node-loads.ts";
import { hasMadeUp } from "../../src/sim/pods-read.ts";
import type { Snapshot, Written } from "../../src/wire/snapshot.ts";
import { snapshotOver } from "../../src/wire/snapshot-over.ts";
import { checkReport } from "../support/assess.ts";
import { plainPod, plainPods } from "../support/plain-pods.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-saved-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

const examples = join(import.meta.dirname, "../../examples");
const incident = join(examples, "modelplane-incident/cluster");

let files = 0;

/** A snapshot file of a cluster's folder. */
function saved(folder: string): string {
  files += 1;
  const path = join(scratch, `${files}.holdfast.gz`);
  writeSnapshotFile(path, loadPaths([folder]), { anonymize: false, toolVersion: "0" });
  return path;
}

/** The snapshot as if no model were in it. */
function withoutModel(path: string): Snapshot {
  const inner = loadPaths([path]);
  return snapshotOver(inner, { source: inner.source, [Symbol.iterator]: () => inner[Symbol.iterator]() });
}

for (const name of ["modelplane-incident", "openshift-as-written", "modelplane-standby"]) {
  test(`the saved model of ${name} is that of its objects`, () => {
    const path = saved(join(examples, name, "cluster"));
    assert.notEqual(loadPaths([path]).saved?.() ?? null, null);
    assert.deepEqual(plainPods(buildCluster(loadPaths([path]))), plainPods(buildCluster(withoutModel(path))));
  });
}

for (const name of ["modelplane-incident", "openshift-as-written", "modelplane-standby"]) {
  test(`what is saved with the model of ${name} is what would be found in it`, () => {
    const path = saved(join(examples, name, "cluster"));
    const [cluster, twin] = [buildCluster(loadPaths([path])), buildCluster(withoutModel(path))];
    recall(cluster, path);
    assert.deepEqual(restlessOf(cluster), restlessOf(twin));
    assert.deepEqual(endpointsOf(cluster), endpointsOf(twin));
    assert.equal(hasMadeUp(cluster), hasMadeUp(twin));
    assert.deepEqual(loadsOf(cluster), allLoads(asItStands(twin).nodes));
  });

  test(`${name} is judged from its saved model as from its objects`, () => {
    const path = saved(join(examples, name, "cluster"));
    assert.deepEqual(checkReport(loadPaths([path])), checkReport(withoutModel(path)));
  });
}

test("templates and what pods share are one object again", () => {
  const cluster = buildCluster(loadPaths([saved(incident)]));
  for (const pod of cluster.pods) {
    const owner = cluster.workloads.get(pod.owner ?? "");
    if (owner?.kind === "ReplicaSet" && owner.template.id === pod.template.id) {
      assert.equal(pod.template, owner.template);
    }
    assert.equal(pod.requests, pod.template.requests);
  }
});

test("a moved file's places are in the file as it is called now", () => {
  const path = saved(incident);
  const moved = join(scratch, "moved.holdfast.gz");
  writeFileSync(moved, readFileSync(path));
  const places = buildCluster(loadPaths([moved])).pods.map(({ source }) => source.file);
  assert.deepEqual([...new Set(places)], [moved]);
});

test("any gunzip reads the lines, the head among them", () => {
  const lines = gunzipSync(readFileSync(saved(incident)))
    .toString()
    .trimEnd()
    .split("\n");
  const kinds = lines.map((line) => JSON.parse(line).kind);
  assert.equal(kinds.at(-1), "SnapshotHead");
});

test("beside another input the objects are read, not the model", () => {
  const shapes = join(scratch, "shapes.yaml");
  writeFileSync(shapes, "kind: Node\ncount: 2\nmetadata: {name: spare}\nstatus: {capacity: {cpu: 4}}\n");
  const path = saved(incident);
  const [alone, both] = [buildCluster(loadPaths([path])), buildCluster(loadPaths([path, shapes]))];
  assert.equal(both.nodes.length, alone.nodes.length + 2);
});

/** The file with another model in it. */
function withModel(path: string, model: Written): string {
  const found = savedFileAt(path, defaultLimits);
  assert.ok(found !== null);
  const length = found.blocks.reduce((sum, each) => sum + each, 0);
  const members = savedModelMembers({ model, known: null }, found.blocks);
  const changed = join(scratch, "changed.holdfast.gz");
  writeFileSync(changed, Buffer.concat([readFileSync(path).subarray(0, length), members]));
  return changed;
}

test("a model that is none is told, and the objects are read", () => {
  const path = saved(incident);
  const expected = buildCluster(loadPaths([path]));
  const changed = withModel(path, {
    text: "abc",
    starts: new Int32Array([0, 3]),
    numbers: new Uint8Array([1, 2, 3]),
    records: new Int32Array([0]),
    columns: [],
  });
  const cluster = buildCluster(loadPaths([changed]));
  assert.match(cluster.problems.map(({ message }) => message).join(), /the model in this snapshot file is broken/);
  assert.deepEqual(
    cluster.pods.map(({ key }) => key),
    expected.pods.map(({ key }) => key),
  );
});

/** What happens to the end of the file, and what is said of it. */
const broken: readonly (readonly [string, (bytes: Buffer) => Buffer, RegExp | null])[] = [
  ["its last byte is gone", (bytes) => bytes.subarray(0, -1), /gzip/],
  ["it ends in the middle", (bytes) => bytes.subarray(0, bytes.length >> 1), /gzip/],
  [
    "its model stands elsewhere than it says",
    (bytes) => Buffer.concat([gzipSync("{}"), bytes]),
    /the end of this snapshot file is broken/,
  ],
  ["it says that its model takes no bytes", emptied, /the end of this snapshot file is broken/],
];

/** Without the members that carry the model, and with an end that says so. */
function emptied(bytes: Buffer): Buffer {
  const end = bytes.subarray(-50);
  const start = Number(end.readBigUInt64LE(16));
  const changed = Buffer.concat([bytes.subarray(0, start), end]);
  changed.fill(0, start + 24, start + 40);
  return changed;
}

for (const [limits, pattern] of [
  [{ fileBytes: 1000 }, /the file has \d+ bytes; at most 1000 are read/],
  [{ totalBytes: 100_000 }, /all inputs together have more than 100000 bytes/],
] as const) {
  test(`no more of a snapshot file is read than ${Object.keys(limits).join()} says`, () => {
    const snapshot = loadPaths([saved(incident)], { limits: { ...defaultLimits, ...limits } });
    let objects = 0;
    for (const _ of snapshot) objects += 1;
    assert.equal(objects, 0);
    assert.match(snapshot.problems.map(({ message }) => message).join("\n"), pattern);
  });
}

for (const [name, change, pattern] of broken) {
  test(`a snapshot file is said to be broken when ${name}`, () => {
    const path = join(scratch, "broken.holdfast.gz");
    writeFileSync(path, change(readFileSync(saved(incident))));
    const { problems } = buildCluster(loadPaths([path]));
    assert.match(problems.map(({ message }) => message).join("\n"), pattern ?? /^$/);
  });
}

test("a saved model is the same in whatever order it is asked", () => {
  const cluster = buildCluster(loadPaths([incident]));
  const written = writtenCluster(cluster, "file");
  const inOrder = readCluster(written, "file");
  assert.ok(inOrder !== null);
  const keys = [...cluster.workloads.keys()];
  const pods = inOrder.pods.map(plainPod);
  const ask = fc.oneof(
    fc.record({ pod: fc.nat({ max: pods.length - 1 }) }),
    fc.record({ workload: fc.constantFrom(...keys) }),
    fc.record({ other: fc.constantFrom(...cluster.others.keys()) }),
  );
  fc.assert(
    fc.property(fc.array(ask, { minLength: 1 }), (asks) => {
      const read = readCluster(written, "file");
      assert.ok(read !== null);
      for (const one of asks) {
        if ("workload" in one) assert.deepEqual(read.workloads.get(one.workload), inOrder.workloads.get(one.workload));
        else if ("other" in one) assert.deepEqual(read.others.get(one.other), inOrder.others.get(one.other));
        else {
          const asked: Pod | undefined = read.pods[one.pod];
          assert.ok(asked !== undefined);
          assert.deepEqual(plainPod(asked), pods[one.pod]);
        }
      }
    }),
  );
});

test("a byte that changed in the model is told, or made no difference", () => {
  const path = saved(incident);
  const bytes = readFileSync(path);
  const expected = plainPods(buildCluster(loadPaths([path])));
  const start = savedFileAt(path, defaultLimits)?.blocks.reduce((sum, each) => sum + each, 0) ?? 0;
  fc.assert(
    fc.property(fc.integer({ min: start, max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const changed = Buffer.from(bytes);
      changed[at] = (bytes[at] ?? 0) ^ by;
      writeFileSync(path, changed);
      const snapshot = loadPaths([path]);
      const cluster = buildCluster(snapshot);
      if (cluster.problems.length + snapshot.problems.length === 0) assert.deepEqual(plainPods(cluster), expected);
    }),
    { numRuns: 60 },
  );
});

test("a model is none when one of its columns has lost a number", () => {
  const written = writtenCluster(buildCluster(loadPaths([incident])), "file");
  for (const [lost, { length }] of written.columns.entries()) {
    if (length === 0) continue;
    const columns = written.columns.map((column, at) => (at === lost ? column.subarray(0, -1) : column));
    assert.equal(readCluster({ ...written, columns }, "file"), null, `column ${lost}`);
  }
});

test("whatever the numbers say, reading ends with a cluster or none, or says so later", () => {
  const written = writtenCluster(buildCluster(loadPaths([incident])), "file");
  const change = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.nat({ max: 255 }) });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), fc.boolean(), (changes, shorter) => {
      const numbers = written.numbers.slice();
      for (const { at, byte } of changes) numbers[Math.floor(at * (numbers.length - 1))] = byte;
      const read = readCluster({ ...written, numbers: shorter ? numbers.subarray(0, -7) : numbers }, "file");
      if (read === null) return;
      try {
        for (const pod of read.pods) assert.equal(typeof pod.template.requests.milliCpu, "number");
      } catch (error) {
        // What is read late was believed: a sum holds it.
        assert.match(String(error), /a saved model is read as it was written/);
      }
    }),
    { numRuns: 300 },
  );
});
