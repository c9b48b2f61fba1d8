import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Cut, JsonCutter } from "../../src/load/cut-json.ts";

function cut(text: string, chunkBytes: number, objectBytes = 1 << 20): readonly Cut[] {
  const bytes = new TextEncoder().encode(text);
  const cutter = new JsonCutter(objectBytes);
  const cuts: Cut[] = [];
  const buffer = new Uint8Array(chunkBytes);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes);
    // The same buffer every time, as when a file is read: what is kept must be copied.
    buffer.set(chunk);
    cuts.push(...cutter.push(buffer.subarray(0, chunk.length)));
  }
  return [...cuts, ...cutter.end()];
}

function told(cuts: readonly Cut[]): readonly string[] {
  return cuts.map((each) =>
    each.part === "fault" ? `fault@${each.line}` : `${each.part}@${each.line} ${new TextDecoder().decode(each.bytes)}`,
  );
}

/** Name, text, what is cut out of it. */
const rows: readonly (readonly [string, string, readonly string[]])[] = [
  ["nothing", "  \n ", []],
  ["one value", '{"a":1}', ['value@1 {"a":1}']],
  ["one a line", '{"a":1}\n{"b":2}\n', ['value@1 {"a":1}', 'value@2 {"b":2}']],
  ["one after the other", '{"a":1}{"b":2}', ['value@1 {"a":1}', 'value@1 {"b":2}']],
  ["brackets and quotes inside texts", '{"a":"}]\\"{["}', ['value@1 {"a":"}]\\"{["}']],
  [
    "a list's items, with what it says before and after them",
    '{"kind":"List",\n"items":[{"a":1},\n{"b":[2]}],"x":1}',
    [
      'head@1 {"kind":"List",\n"items":[]}',
      'item@2 {"a":1}',
      'item@3 {"b":[2]}',
      'list@1 {"kind":"List",\n"items":[],"x":1}',
    ],
  ],
  ["an empty list", '{"items":[]}', ['head@1 {"items":[]}', 'list@1 {"items":[]}']],
  ["a bare array", '[{"a":1}, {"b":2} ]', ['item@1 {"a":1}', 'item@1 {"b":2}']],
  ["items deeper down are no list", '{"spec":{"items":[1]}}', ['value@1 {"spec":{"items":[1]}}']],
  ["a text of that name is none", '{"a":"items","b":[1]}', ['value@1 {"a":"items","b":[1]}']],
  [
    "two lists",
    '{"items":[1]}\n{"items":[2]}',
    [
      'head@1 {"items":[]}',
      "item@1 1",
      'list@1 {"items":[]}',
      'head@2 {"items":[]}',
      "item@2 2",
      'list@2 {"items":[]}',
    ],
  ],
  ["an unfinished value", '{"a":1}\n{"b":', ['value@1 {"a":1}', "fault@2"]],
  [
    "a broken line, and the next one found again",
    '{"a":"x\n{"b":2}\n{"c":3}',
    ["fault@1", 'value@2 {"b":2}', 'value@3 {"c":3}'],
  ],
  ["a line cut short, and another", '{"a":\n{"b":2}\n{"c":3}', ["fault@1", 'value@2 {"b":2}', 'value@3 {"c":3}']],
  ["the line before the last cut short", '{"a":1,\n{"b":2}\n', ["fault@1", 'value@2 {"b":2}']],
  ["all lines cut short", '{"a":{"b":"c"\n{"d":"e"\n{"f"', ["fault@1", "fault@2", "fault@3"]],
  [
    "a line cut short between whole ones",
    '{"a":1}\r\n{"b":{"c":[1\r\n{"d":{}}\r\n{"e":0}\r\n{"f":0}\r\n',
    ['value@1 {"a":1}', "fault@2", 'value@3 {"d":{}}', 'value@4 {"e":0}', 'value@5 {"f":0}'],
  ],
  ["elements that begin their lines", '{"a":[\n{"b":1},\n{"c":2}]}', ['value@1 {"a":[\n{"b":1},\n{"c":2}]}']],
  ["an object that begins a line", '{"a":\n{"b":1}\n,"c":2}', ['value@1 {"a":\n{"b":1}\n,"c":2}']],
  ["brackets that begin their lines", '{\n"a":\n{\n"b":1}}', ['value@1 {\n"a":\n{\n"b":1}}']],
  ["too many closing brackets", '{"a":1}}\n{"b":2}', ['value@1 {"a":1}', "fault@1", 'value@2 {"b":2}']],
];

for (const [name, text, expected] of rows) {
  for (const chunkBytes of [1, 3, 1000]) {
    test(`${name}, ${chunkBytes} bytes at a time`, () => assert.deepEqual(told(cut(text, chunkBytes)), expected));
  }
}

test("a value that is too large is left out, the next one is not", () => {
  assert.deepEqual(told(cut(`{"a":"${"x".repeat(100)}"}\n{"b":2}`, 7, 50)), ["fault@1", 'value@2 {"b":2}']);
});

test("law: values written one a line come back as they were, however the stream is chunked", () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
      fc.integer({ min: 1, max: 40 }),
      (values, size) => {
        const flat = values.filter((value) => !Array.isArray(value["items"]));
        const text = flat.map((value) => JSON.stringify(value)).join("\n");
        const cuts = cut(text, size);
        assert.deepEqual(
          cuts.map((each) => (each.part === "value" ? JSON.parse(new TextDecoder().decode(each.bytes)) : each.part)),
          JSON.parse(JSON.stringify(flat)),
        );
      },
    ),
  );
});

test("law: a line of dashes ends the stream, whatever is before it", () => {
  const part = fc.constantFrom(
    '{"a":1}',
    '{"items":[',
    "[",
    '{"a":"x',
    '"',
    "}",
    "]",
    "-",
    "--",
    "----",
    "7",
    ",",
    "\n",
    " ",
    "\r",
  );
  const mark = fc.constantFrom("---", "---\n", "--- # x\n", "---\r\n");
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 12 }),
      mark,
      fc.array(part, { maxLength: 4 }),
      (before, separator, behind) => {
        const text = before.join("");
        fc.pre(!/\n---(?:\s|$)/.test(text));
        const [head, tail] = [`${text}\n`, `${separator}${separator === "---" ? "" : behind.join("")}`];
        const cutter = new JsonCutter(1 << 20);
        const cuts = [...cutter.push(new TextEncoder().encode(head + tail)), ...cutter.end()];
        assert.deepEqual(told(cuts), told(cut(head, 1 << 10)));
        assert.equal(new TextDecoder().decode(cutter.rest ?? new Uint8Array(0)), tail);
        assert.equal(cutter.line, 1 + head.split("\n").length - 1);
      },
    ),
  );
});

test("law: any bytes at all end, and give pieces or faults", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 50 }), (bytes, size) => {
      const cutter = new JsonCutter(100);
      for (let at = 0; at < bytes.length; at += size) cutter.push(bytes.subarray(at, at + size));
      assert.ok(Array.isArray(cutter.end()));
    }),
  );
});
