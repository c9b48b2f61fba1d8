import assert from "node:assert/strict";
import { test } from "node:test";
import { LateMap } from "./late-map.ts";

interface Thing {
  readonly place: number;
}

function mapOf(keys: readonly string[]): { readonly map: ReadonlyMap<string, Thing>; readonly made: number[] } {
  const made: number[] = [];
  const map = new LateMap(keys, (place): Thing => {
    made.push(place);
    return { place };
  });
  return { map, made };
}

test("nothing is made before somebody asks, and nothing twice", () => {
  const { map, made } = mapOf(["a", "b", "c"]);
  assert.deepEqual(
    [map.size, map.has("b"), map.has("d"), [...map.keys()], made],
    [3, true, false, ["a", "b", "c"], []],
  );
  assert.equal(map.get("b"), map.get("b"));
  assert.equal(map.get("d"), undefined);
  assert.deepEqual(made, [1]);
});

test("it is told in order, like any map", () => {
  const { map } = mapOf(["a", "b"]);
  const twin = new Map([
    ["a", { place: 0 }],
    ["b", { place: 1 }],
  ]);
  assert.equal(map.get("b")?.place, 1);
  assert.deepEqual(new Map(map), twin);
  assert.deepEqual([...map.values()], [...twin.values()]);
  const told: string[] = [];
  map.forEach(({ place }, key, of) => {
    told.push(`${key}${place}${of === map}`);
  });
  assert.deepEqual(told, ["a0true", "b1true"]);
});
