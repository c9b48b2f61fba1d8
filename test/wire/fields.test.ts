import assert from "node:assert/strict";
import { test } from "node:test";
import { endedBytes } from "../../src/load/plain-bytes.ts";
import { Texts } from "../../src/load/texts.ts";
import { Fields, isJsonObject } from "../../src/wire/fields.ts";
import type { Json } from "../../src/wire/snapshot.ts";
import { Tape } from "../../src/wire/tape.ts";

/** The same value both ways. */
function bothWays(value: Json, ask: (fields: Fields) => unknown): readonly unknown[] {
  const tape = new Tape(new Texts(1 << 4), 20);
  tape.read(endedBytes(Buffer.from(JSON.stringify(value))), 0);
  const complain = (): void => assert.fail("nothing is to be complained of");
  return [ask(Fields.onTape(tape, complain)), ask(Fields.of(isJsonObject(value) ? value : {}, complain))];
}

const rows: readonly (readonly [string, Json, boolean])[] = [
  ["one of them has it", { list: [{ a: 1 }, { b: 1 }] }, true],
  ["none has it", { list: [{ a: 1 }, {}] }, false],
  ["it is null", { list: [{ b: null }] }, false],
  ["it is false", { list: [{ b: false }] }, true],
  ["the list is empty", { list: [] }, false],
  ["there is no list", { other: [{ b: 1 }] }, false],
  ["the list is null", { list: null }, false],
  ["what is no list is looked at", { list: { b: 1 } }, true],
  ["what is no object is looked at", { list: [{ a: 1 }, "b"] }, true],
  ["null is no object", { list: [null] }, true],
];

for (const [name, value, expected] of rows) {
  test(`whether any object of a list has a field: ${name}`, () => {
    assert.deepEqual(
      bothWays(value, (fields) => fields.anyHas("list", "b")),
      [expected, expected],
    );
  });
}

test("labels are in order, however they are written, and of two with one name the last counts", () => {
  const labels = { b: "2", a: "1", "": "0", c: "3" };
  for (const read of bothWays({ labels }, (fields) => [...fields.textMap("labels").keys()])) {
    assert.deepEqual(read, ["", "a", "b", "c"]);
  }
  const tape = new Tape(new Texts(1 << 4), 20);
  tape.read(endedBytes(Buffer.from('{"labels":{"b":"1","a":"2","b":"3"}}')), 0);
  const fields = Fields.onTape(tape, () => assert.fail());
  assert.deepEqual(
    [...fields.textMap("labels")],
    [
      ["a", "2"],
      ["b", "3"],
    ],
  );
});

test("bytes are given of texts of printable ASCII alone, and on a tape alone", () => {
  const length = (fields: Fields, name: string): number | null => fields.ofPlain(name, (_, start, end) => end - start);
  for (const [text, expected] of [
    ["abc", 3],
    ["", 0],
    ["a\\b", null],
    ["é", null],
  ] as const) {
    assert.deepEqual(
      bothWays({ text }, (fields) => length(fields, "text")),
      [expected, null],
    );
  }
  assert.deepEqual(
    bothWays({ text: 1 }, (fields) => [length(fields, "text"), length(fields, "none")]),
    [
      [null, null],
      [null, null],
    ],
  );
});
