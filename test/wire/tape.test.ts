import assert from "node:assert/strict";
import { test } from "node:test";
import { runInThisContext } from "node:vm";
import fc from "fast-check";
import { endedBytes } from "../../src/load/plain-bytes.ts";
import { Texts } from "../../src/load/texts.ts";
import type { Json } from "../../src/wire/snapshot.ts";
import { Tape } from "../../src/wire/tape.ts";
import { tapeJson } from "../../src/wire/tape-json.ts";

const deepest = 20;

/**
 * What `JSON.parse` makes of it; undefined: nothing. JSON is JavaScript, and the value is taken from there: Node 26's
 * `JSON.parse` gives a name with an escape for another one of its length, when objects before had that one in its place.
 */
function parsed(text: string): Json | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return runInThisContext(`(${text})`);
}

/** Reads it with something before and behind it. */
function read(tape: Tape, text: string): number {
  return tape.read(endedBytes(Buffer.from(`..${text}\n"`)), 2) - 2;
}

const leaf = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\\", '"', "\u0000", "\u007f", "é", "𝄞"),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
/** `assert.deepEqual` does not compare own fields of that name well. */
const name = fc.string().filter((each) => each !== "__proto__");
const { object } = fc.letrec<{ object: { [name: string]: Json }; value: Json }>((tie) => ({
  object: fc.dictionary(fc.oneof(name, fc.constantFrom("a", "é", '"')), tie("value"), {
    maxKeys: 6,
  }),
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    tie("object"),
    fc.array(tie("value"), { maxLength: 4 }),
  ),
}));

test("an object's values are those that JSON.parse makes", () => {
  const tape = new Tape(new Texts(1 << 4), 1000);
  fc.assert(
    fc.property(object, fc.constantFrom(0, 1, 4, 10, "\t", " \r\n "), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      assert.equal(read(tape, text), Buffer.byteLength(text));
      assert.deepEqual(tapeJson(tape, Tape.root), parsed(text));
      assert.equal(tape.lines, text.split("\n").length - 1);
      for (const [name, each] of Object.entries(value)) {
        assert.deepEqual(tapeJson(tape, tape.find(Tape.root, name)), parsed(JSON.stringify(each)));
      }
    }),
    { numRuns: 200 },
  );
});

test("with bytes changed, it takes what JSON.parse takes and nothing else", () => {
  const tape = new Tape(new Texts(1 << 4), 1000);
  const put = fc.constantFrom(
    "",
    '"',
    "\\",
    "\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "0",
    "-",
    ".",
    "e",
    " ",
    "t",
    "\\u00",
    "\t",
  );
  const change = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), take: fc.nat({ max: 2 }), put });
  fc.assert(
    fc.property(object, fc.array(change, { minLength: 1, maxLength: 2 }), (value, changes) => {
      let text = JSON.stringify(value);
      for (const { at, take, put } of changes) {
        const from = 1 + Math.floor(at * (text.length - 1));
        text = text.slice(0, from) + put + text.slice(from + take);
      }
      const end = read(tape, text);
      const bytes = Buffer.from(text);
      if (end > 0) assert.deepEqual(tapeJson(tape, Tape.root), parsed(bytes.toString("utf8", 0, end)));
      else assert.equal(parsed(text), undefined, text);
    }),
    { numRuns: 600 },
  );
});

/** What is wrong, text. */
const refused: readonly (readonly [string, string])[] = [
  ["nothing", ""],
  ["a bracket alone", "{"],
  ["a list in its place", "[]"],
  ["no value", '{"a":}'],
  ["no colon", '{"a" 1}'],
  ["a comma too many", '{"a":1,}'],
  ["a comma too many in a list", '{"a":[1,]}'],
  ["no comma", '{"a":1 "b":2}'],
  ["brackets that do not fit", '{"a":[1}]'],
  ["a number with a needless zero", '{"a":01}'],
  ["a number without an end", '{"a":1.}'],
  ["an exponent without an end", '{"a":1e+}'],
  ["a sign alone", '{"a":-}'],
  ["half a word", '{"a":tru}'],
  ["an escape that is none", '{"a":"\\x"}'],
  ["half an escape", '{"a":"\\u00g0"}'],
  ["a line end in a text", '{"a":"\n"}'],
  ["a text without an end", '{"a":"b'],
  ["a name without quotes", "{a:1}"],
  ["brackets too deep", `${'{"a":'.repeat(deepest)}{}${"}".repeat(deepest)}`],
];

for (const [what, text] of refused) {
  test(`${what}: no object is read`, () => {
    assert.ok(read(new Tape(new Texts(1 << 4), deepest), text) < 0);
  });
}

test("a field named as what every object inherits is a field", () => {
  const tape = new Tape(new Texts(1 << 4), deepest);
  read(tape, '{"__proto__":{"a":1}}');
  assert.equal(tape.number(tape.find(tape.find(Tape.root, "__proto__"), "a")), 1);
  assert.equal(tape.find(Tape.root, "toString"), -1);
});

test("of several fields with one name the last counts, however it is written", () => {
  const tape = new Tape(new Texts(1 << 4), deepest);
  read(tape, '{"name":1,"n\\u0061me":2,"other":3}');
  assert.equal(tape.number(tape.find(Tape.root, "name")), 2);
  assert.deepEqual([...tape.fields(Tape.root).keys()], ["name", "other"]);
  assert.equal(tape.find(Tape.root, "nothing"), -1);
});
