import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { endedBytes } from "../../src/load/plain-bytes.ts";
import { Texts } from "../../src/load/texts.ts";
import { ByteNumbers } from "../../src/wire/byte-numbers.ts";
import { type FieldReading, Reading } from "../../src/wire/gist.ts";
import { ReadAlike } from "../../src/wire/read-alike.ts";
import { Tape } from "../../src/wire/tape.ts";

function onTape(text: string): Tape {
  const tape = new Tape(new Texts(1 << 6), 40);
  const bytes = Buffer.from(text);
  assert.equal(tape.read(endedBytes(bytes), 0), bytes.length, text);
  return tape;
}

function numberOf(before: ReadAlike<object>, text: string, reading: FieldReading, besides = ""): number {
  return before.numberOf(onTape(text), Tape.root, reading, besides);
}

const reading = new Reading({
  fields: {
    env: "unread",
    probe: "presence",
    list: new Reading({ fields: { kept: "whole" }, others: "unread" }),
    volumes: new Reading({ fields: {}, others: "whole", leftOut: ["secret"] }),
    numbered: new Reading({ fields: { env: "unread" }, others: "whole", numbers: new ByteNumbers(1 << 20) }),
  },
  others: "whole",
});

/** Two values, and whether they are read the same. */
const rows: readonly (readonly [string, string, string, boolean])[] = [
  ["a value and itself", '{"a":1}', '{"a":1}', true],
  ["another value", '{"a":1}', '{"a":2}', false],
  ["another name", '{"a":1}', '{"b":1}', false],
  ["numbers side by side", '{"a":[1,23]}', '{"a":[12,3]}', false],
  ["a text and a number", '{"a":"1"}', '{"a":1}', false],
  ["an object and a list", '{"a":{}}', '{"a":[]}', false],
  ["what is inside and what is behind", '{"a":{"b":1},"c":2}', '{"a":{"b":1,"c":2}}', false],
  ["what is not read", '{"env":[1],"a":1}', '{"a":1,"env":{"x":{}}}', true],
  ["what is not read, by a longer name", '{"env":1}', '{"envi":1}', false],
  // What is written so oddly is only made anew each time.
  ["what is not read, written with an escape", '{"en\\u0076":1}', "{}", false],
  ["presence, of two values", '{"probe":{"x":1}}', '{"probe":"y"}', true],
  ["presence, of none", '{"probe":{"x":1}}', "{}", false],
  ["presence, of null", '{"probe":{"x":1}}', '{"probe":null}', false],
  ["elements of a list", '{"list":[{"kept":1,"a":2}]}', '{"list":[{"b":3,"kept":1}]}', true],
  ["elements of a list that is longer", '{"list":[{"a":2}]}', '{"list":[{"a":2},{"a":2}]}', false],
  ["elements that are no objects", '{"list":[1]}', '{"list":[2]}', false],
  ["what is left out", '{"volumes":[{"name":"x","secret":{}}]}', '{"volumes":[]}', true],
  ["what has a third field", '{"volumes":[{"name":"x","secret":{},"a":1}]}', '{"volumes":[]}', false],
  ["what has no name", '{"volumes":[{"secret":{},"a":1}]}', '{"volumes":[]}', false],
  ["what has a name that is no text", '{"volumes":[{"name":1,"secret":{}}]}', '{"volumes":[]}', false],
  ["what is numbered", '{"numbered":{"a":1,"env":2}}', '{"numbered":{"env":3,"a":1}}', true],
  ["what has another number", '{"numbered":{"a":1}}', '{"numbered":{"a":2}}', false],
];

for (const [name, one, other, same] of rows) {
  test(`${name}: ${same ? "the same number" : "another number"}`, () => {
    const before = new ReadAlike<object>(1 << 20);
    assert.equal(numberOf(before, one, reading) === numberOf(before, other, reading), same);
    // Laid out over several lines.
    const laidOut = JSON.stringify(JSON.parse(other), null, 2);
    if (!one.includes("\\u")) {
      const spread = JSON.stringify(JSON.parse(one), null, 4);
      assert.equal(numberOf(before, spread, reading) === numberOf(before, laidOut, reading), same);
    }
  });
}

test("what else is looked at tells apart", () => {
  const before = new ReadAlike<object>(1 << 20);
  const [plain, beside] = [numberOf(before, "{}", "whole"), numberOf(before, "{}", "whole", "team-a")];
  assert.notEqual(plain, beside);
  assert.equal(numberOf(before, "{}", "whole", "team-a"), beside);
});

test("two values have one number exactly when they are the same", () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 2 }), (values) => {
      const before = new ReadAlike<object>(1 << 20);
      const texts = [...values, ...values].map((value) => JSON.stringify(value));
      const numbers = new Map<string, number>();
      for (const text of texts) {
        const number = numberOf(before, text, "whole");
        assert.ok(number >= 0);
        assert.equal(numbers.get(text) ?? number, number);
        numbers.set(text, number);
      }
      assert.equal(new Set(numbers.values()).size, numbers.size);
    }),
  );
});

test("what finds no room has no number, and what has one keeps it", () => {
  const before = new ReadAlike<object>(1 << 16);
  const text = (at: number): string => JSON.stringify({ at, filler: "x".repeat(1000) });
  const numbers = Array.from({ length: 100 }, (_, at) => numberOf(before, text(at), "whole"));
  assert.ok(numbers.includes(-1) && numbers.indexOf(-1) > 50);
  for (const [at, number] of numbers.entries()) assert.equal(numberOf(before, text(at), "whole"), number);
});

test("what is too long has no number", () => {
  const before = new ReadAlike<object>(1 << 24);
  assert.equal(numberOf(before, JSON.stringify({ a: "x".repeat(1 << 16) }), "whole"), -1);
  assert.equal(numberOf(before, JSON.stringify({ a: Array(40_000).fill(1) }, null, 1), "whole"), -1);
  assert.ok(numberOf(before, "{}", "whole") >= 0);
});

test("a part that was numbered with the whole has that number, and not the one of the object read before", () => {
  const parts = new ReadAlike<object>(1 << 20);
  const whole = new ReadAlike<object>(1 << 20);
  const part = { fields: { env: "unread" }, others: "whole" } as const;
  const reading = new Reading({ fields: { part: new Reading({ ...part, numbers: parts.numbers }) }, others: "whole" });
  const tape = new Tape(new Texts(1 << 6), 40);
  const numbers = ['{"part":{"a":1,"env":1}}', '{"part":{"a":2}}', '{"part":{"a":1}}'].map((text) => {
    tape.read(endedBytes(Buffer.from(text)), 0);
    whole.numberOf(tape, Tape.root, reading, "");
    const cell = tape.find(Tape.root, "part");
    const asked = parts.numberOf(tape, cell, new Reading(part), "");
    assert.equal(numberOf(parts, text.slice('{"part":'.length, -1), new Reading(part)), asked, text);
    assert.notEqual(parts.numberOf(tape, cell, new Reading(part), "beside"), asked);
    return asked;
  });
  assert.notEqual(numbers[0], numbers[1]);
  assert.equal(numbers[0], numbers[2]);
  // An object of which no whole was asked for.
  tape.read(endedBytes(Buffer.from('{"part":{"a":3}}')), 0);
  assert.ok(!numbers.includes(parts.numberOf(tape, tape.find(Tape.root, "part"), new Reading(part), "")));
});
