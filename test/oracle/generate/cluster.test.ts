import assert from "node:assert/strict";
import { test } from "node:test";
import { features, generateCluster } from "./cluster.ts";

test("the same seed draws the same cluster", () => {
  for (const seed of [1, 2, 3, 99]) assert.deepEqual(generateCluster(seed, 36), generateCluster(seed, 36));
});

test("different seeds draw different clusters", () => {
  const drawn = new Set(Array.from({ length: 200 }, (_, seed) => JSON.stringify(generateCluster(seed, 36).objects)));
  assert.equal(drawn.size, 200);
});

test("every feature, size and kind of object is drawn", () => {
  const about = new Set<string>();
  const sizes: number[] = [];
  const kinds = new Set<string>();
  for (let seed = 0; seed < 300; seed++) {
    const cluster = generateCluster(seed, 36);
    for (const name of cluster.about) about.add(name);
    for (const object of cluster.objects) kinds.add(object.kind);
    sizes.push(cluster.objects.filter((object) => object.kind === "Node").length);
  }
  assert.deepEqual([...about].sort(), features.map((feature) => feature.name).sort());
  assert.ok(Math.min(...sizes) === 3 && Math.max(...sizes) > 100, "from three nodes to more than a search looks at");
  assert.ok(kinds.size >= 18, `kinds: ${[...kinds].join(" ")}`);
});

test("names are unique within a kind, and each pod to decide exists", () => {
  for (let seed = 0; seed < 100; seed++) {
    const { objects, pods } = generateCluster(seed, 36);
    const names = objects.map((o) => `${o.kind} ${o.metadata.namespace ?? ""}/${o.metadata.name}`);
    assert.equal(new Set(names).size, names.length, `seed ${seed}`);
    for (const pod of pods) assert.ok(names.includes(`Pod ${pod}`), `seed ${seed}: ${pod}`);
  }
});
