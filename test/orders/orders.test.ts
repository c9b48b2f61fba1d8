import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { caseNamed } from "../../scripts/orders/cases.ts";
import { clusterOf, poolsAsked, saidOf } from "../../scripts/orders/said.ts";
import { loadPaths } from "../../src/load/from-files.ts";
import type { WireObject } from "../../src/wire/snapshot.ts";

// What a real control plane did with a cluster as it is kept here, in one order of real cordons and evictions: `npm run orders`.

interface Kept {
  readonly pool: string;
  readonly safe: readonly string[];
  readonly broke: readonly string[];
  readonly hurt: readonly { readonly endpoint: string; readonly seen: readonly string[] }[];
}

const folder = import.meta.dirname;

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  const name = file.slice(0, -".json".length);
  test(`${name}: what a real control plane did is what is said of it`, () => {
    const kept: Kept = JSON.parse(readFileSync(join(folder, file), "utf8"));
    const { asked } = caseNamed(name);
    const cluster = clusterOf(objectsOf(name));
    const pool = poolsAsked(cluster, asked).find((one) => one.name === kept.pool);
    const said = pool === undefined ? null : saidOf(cluster, pool, asked);
    assert.ok(said !== null, "the pool can still be played");
    const verdicts = new Map<string, string>([
      ...said.safe.map((endpoint) => [`${endpoint.namespace}/${endpoint.name}`, "safe"] as const),
      ...said.hurt.map(({ endpoint, verdict }) => [`${endpoint.namespace}/${endpoint.name}`, verdict] as const),
    ]);
    assert.deepEqual(kept.broke, [], "nothing broke that was said to be safe");
    for (const endpoint of kept.safe) assert.equal(verdicts.get(endpoint), "safe");
    for (const { endpoint, seen } of kept.hurt) {
      assert.ok(seen.length > 0, "what was shown really hurt");
      assert.ok(verdicts.get(endpoint) === "unsafe" || verdicts.get(endpoint) === "stalls", endpoint);
    }
  });
}

/** The example as it was loaded, or what a controller had made of it before the order. */
function objectsOf(name: string): readonly WireObject[] {
  const found = join(folder, name, "found.json");
  const { example, edited } = caseNamed(name);
  const path = existsSync(found) ? found : join(folder, "..", "..", "examples", example, "cluster");
  return [...loadPaths([path])].flatMap(({ object }) => edited(object) ?? []);
}
