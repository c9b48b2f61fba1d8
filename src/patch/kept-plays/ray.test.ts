import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ray } from "../../../test/patch/kept-clusters.ts";
import { snapshotOf } from "../../../test/support/fix.ts";
import { buildCluster } from "../../model/build.ts";
import { objectKey } from "../../model/key.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import { refOf } from "../kept-objects.ts";
import { rayServicePlay } from "./ray.ts";

// Edits of a RayService, and what KubeRay's own code (v1.6.0: shouldPrepareNewCluster, shouldUpdateCluster) decides about each.

interface Decided {
  readonly name: string;
  readonly service: WireObject;
  /** The cluster that serves is written again. */
  readonly updates: boolean;
  /** Another cluster is made beside it. */
  readonly another: boolean;
}

const file = join(import.meta.dirname, "..", "..", "..", "test", "patch", "real-objects", "ray.json");
const decided: readonly Decided[] = JSON.parse(readFileSync(file, "utf8"));
const cluster = buildCluster(snapshotOf(ray({ workers: ["n-1"], nodes: ["n-1"] })));

for (const { name, service, another, updates } of decided) {
  test(`${name}: ${another ? "another cluster" : updates ? "the one that serves, which is not played" : "nothing"}`, () => {
    const before = decided[0]?.service;
    assert.ok(before);
    const ref = refOf(service);
    const play = rayServicePlay({
      cluster,
      ...{ key: objectKey(ref), ref, before, after: service },
      edits: [],
      retemplated: (template) => template,
    });
    assert.deepEqual(
      play.moves.map(({ from, to }) => [from, to.name]),
      another ? [["RayCluster.ray.io/models/serve-a", "serve-~1"]] : [],
    );
  });
}
