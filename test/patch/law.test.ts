import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clusterOf } from "../../src/assess.ts";
import { buildCluster } from "../../src/model/build.ts";
import { objectKey } from "../../src/model/key.ts";
import { EditApplier } from "../../src/patch/apply-edits.ts";
import { carriedTiming } from "../../src/patch/carried-timing.ts";
import { choose } from "../../src/patch/choose.ts";
import type { Edit } from "../../src/patch/edit.ts";
import { KeptObjects, refOf } from "../../src/patch/kept-objects.ts";
import { rankOf } from "../../src/patch/prove.ts";
import { Journal } from "../../src/sim/journal.ts";
import { Ledger } from "../../src/sim/ledger.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { changedPaths } from "../../src/wire/object-path.ts";
import type { WireObject } from "../../src/wire/snapshot.ts";
import { poolCluster } from "../search/pool-cluster.ts";
import { defaultCheckOptions } from "../support/assess.ts";
import { snapshotOf } from "../support/fix.ts";

/** More of them: FIX_CLUSTERS=5000 node --test test/patch/law.test.ts */
const clusters = Number(process.env["FIX_CLUSTERS"] ?? 25);

const shape = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  nodes: fc.integer({ min: 2, max: 3 }),
  endpoints: fc.constant(1),
  others: fc.constantFrom(0, 1),
  fill: fc.constantFrom(0.2, 0.5),
  free: fc.constant(1),
  budgets: fc.constantFrom(0, 0.5, 1),
  spread: fc.constantFrom(0, 0.5, 1),
  kured: fc.boolean(),
  single: fc.boolean(),
});

const ranks = ["safe", "undecided", "stalls", "unsafe"];

test("a fix makes no verdict worse, applies twice without change, and touches only what it names", () => {
  let fixed = 0;
  fc.assert(
    fc.property(shape, ({ seed, single, ...drawn }) => {
      const made = poolCluster(seed, { ...drawn, alike: true });
      const objects = single ? made.filter((object) => !isSpare(object)).map(singled) : made;
      const kept = new KeptObjects();
      const cluster = clusterOf(kept.watching(snapshotOf(objects)), defaultCheckOptions);
      const applier = new EditApplier(cluster, kept);
      const steps = choose({
        proving: {
          cluster,
          timing: carriedTiming(cluster, timingOf(cluster, defaultCheckOptions.timing)),
          states: 100,
          horizonMs: 7_200_000,
          actors: [],
          choose: (endpoints) => endpoints,
        },
        applier,
        bench: { cluster, view: new Ledger(cluster, new Journal()), kept },
        wrongs: new Map(),
      });
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      const { edits, before, after } = step.value;
      if (edits.length > 0) fixed += 1;
      for (const endpoint of before.endpoints.keys()) {
        const [was, is] = [rankOf(before, endpoint, "verdict"), rankOf(after, endpoint, "verdict")];
        assert.ok(ranks.indexOf(is) <= ranks.indexOf(was), `${endpoint}: ${was}, then ${is}`);
        assert.equal(rankOf(after, endpoint, "rollout"), "safe");
      }
      touchesOnlyWhatItNames(edits, kept, applier);
      appliesTwice(edits, objects, applier);
    }),
    { numRuns: clusters, seed: 20_261_130 },
  );
  assert.ok(fixed > 0, "some of the clusters can be put right");
});

function isSpare({ kind, metadata }: WireObject): boolean {
  return kind === "Pod" && /-[cdfgh][^-]*$/.test(String(metadata["name"])) && metadata["namespace"] !== "others";
}

/** One replica of everything but DNS is the usual mistake. */
function singled(object: WireObject): WireObject {
  const spec = object["spec"];
  if (object.kind !== "Deployment" && object.kind !== "ReplicaSet") return object;
  return { ...object, spec: { ...(typeof spec === "object" ? spec : {}), replicas: 1 } };
}

function touchesOnlyWhatItNames(edits: readonly Edit[], kept: KeptObjects, applier: EditApplier): void {
  for (const [key, object] of applier.objectsAfter(edits)) {
    const own = edits.filter(({ target, site }) => objectKey(target) === key || site === key);
    assert.ok(own.length > 0, `${key} is named`);
    const before = object === null ? undefined : kept.get(refOf(object));
    if (object === null || before === undefined) continue;
    const named = own.flatMap(({ act }) => (act.do === "set" ? act.fields.map(({ path }) => path) : []));
    const direct = own.every(({ target }) => objectKey(target) === key);
    for (const path of direct ? changedPaths(before, object) : []) {
      assert.ok(
        named.some((each) => path === each || path.startsWith(`${each}.`) || each.startsWith(`${path}.`)),
        `${key} ${path}`,
      );
    }
  }
}

function appliesTwice(edits: readonly Edit[], objects: readonly WireObject[], applier: EditApplier): void {
  const once = applier.objectsAfter(edits);
  const known = new Set(objects.map((object) => objectKey(refOf(object))));
  const changed = [
    ...objects.flatMap((object) => {
      const key = objectKey(refOf(object));
      const after = once.get(key);
      return after === null ? [] : [after ?? object];
    }),
    ...[...once].flatMap(([key, object]) => (known.has(key) || object === null ? [] : [object])),
  ];
  const again = new KeptObjects();
  const cluster = buildCluster(again.watching(snapshotOf(changed)));
  const twice = new EditApplier(cluster, again).objectsAfter(edits);
  for (const [key, object] of once) assert.deepEqual(twice.get(key), object, key);
}
