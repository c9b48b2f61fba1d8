import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOf } from "./place-table.ts";
import { SameLabels } from "./same-labels.ts";

test("equal maps become the first one, in whatever order they are written", () => {
  const same = new SameLabels();
  const first = new Map([
    ["app", "llm"],
    ["team", "a"],
  ]);
  assert.equal(same.of(first), first);
  assert.equal(same.of(first), first);
  assert.equal(same.of(new Map([...first].reverse())), first);
});

test("maps that differ stay apart: a value, a key, one more, key and value exchanged", () => {
  const same = new SameLabels();
  const first = same.of(new Map([["app", "llm"]]));
  for (const other of [
    [["app", "llm2"]],
    [["app2", "llm"]],
    [["llm", "app"]],
    [],
    [
      ["app", "llm"],
      ["a", ""],
    ],
  ] as const) {
    const map = new Map<string, string>(other);
    assert.equal(same.of(map), map, JSON.stringify(other));
  }
  assert.equal(same.of(new Map([["app", "llm"]])), first);
});

test("labels that somebody chose to have one hash are told apart", () => {
  const same = new SameLabels();
  const values = valuesOfOneHash(7);
  assert.equal(new Set(values.map(hashOf)).size, 1);
  const firsts = values.map((value) => same.of(new Map([["app", value]])));
  assert.equal(new Set(firsts).size, values.length);
  for (const [at, value] of values.entries()) assert.equal(same.of(new Map([["app", value]])), firsts[at]);
});

/** Of that many pairs of characters each, of which every one can be exchanged for another that leads to the same hash. */
function valuesOfOneHash(pairs: number): readonly string[] {
  let values: readonly string[] = [""];
  let state = 2 * pairs;
  for (let pair = 0; pair < pairs; pair += 1) {
    const [one, other] = pairsOfOneHash(state);
    values = values.flatMap((value) => [value + one, value + other]);
    for (const character of one) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193);
  }
  return values;
}

/** Two characters each, after which a hash in that state is the same. */
function pairsOfOneHash(state: number): readonly [string, string] {
  const byUpper = new Map<number, number>();
  for (let first = 0x100; ; first += 1) {
    const after = Math.imul(state ^ first, 0x01000193);
    const other = byUpper.get(after >>> 16);
    if (other === undefined) byUpper.set(after >>> 16, first);
    else {
      const difference = (after ^ Math.imul(state ^ other, 0x01000193)) & 0xffff;
      return [String.fromCharCode(first, 0), String.fromCharCode(other, difference)];
    }
  }
}
