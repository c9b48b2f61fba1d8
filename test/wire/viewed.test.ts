import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { endedBytes, viewed } from "../../src/load/plain-bytes.ts";
import { areSame, plainEnd } from "../../src/wire/viewed.ts";

const character = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }) },
  fc.constantFrom('"', "\\", "\n", "\u0001", "\u007f", "é", "𝄞", " "),
);

test("where plain text ends is found as byte by byte", () => {
  fc.assert(
    fc.property(fc.array(character, { maxLength: 30 }), fc.nat({ max: 5 }), (characters, start) => {
      const bytes = Buffer.from(`${"x".repeat(start)}${characters.join("")}`);
      const { view } = endedBytes(bytes);
      const odd = bytes.findIndex(
        (byte, at) => at >= start && (byte < 0x20 || byte >= 0x7f || byte === 0x22 || byte === 0x5c),
      );
      assert.equal(plainEnd(view, start), odd < 0 ? bytes.length : odd);
    }),
    { numRuns: 500 },
  );
});

test("stretches are the same when every byte is", () => {
  const text = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(text, fc.nat({ max: 9 }), fc.nat({ max: 9 }), fc.option(fc.nat()), (own, aStart, bStart, changed) => {
      const a = viewed(Buffer.from(`${"a".repeat(aStart)}${own}`));
      const b = viewed(Buffer.from(`${"b".repeat(bStart)}${own}`));
      const at = changed === null ? -1 : changed % own.length;
      if (at >= 0) b.bytes[bStart + at] = (b.bytes[bStart + at] ?? 0) ^ 1;
      for (let length = 0; length <= own.length; length += 1) {
        assert.equal(areSame(a.view, aStart, b.view, bStart, length), at < 0 || length <= at);
      }
    }),
  );
});

test("bytes are ended where they are when a NUL and room are behind them, else as a copy", () => {
  const room = new Uint8Array(40).fill(0x78, 0, 20);
  const inPlace = endedBytes(room.subarray(5, 20));
  assert.equal(inPlace.bytes.buffer, room.buffer);
  for (const bytes of [room.subarray(5, 19), room.subarray(30), new Uint8Array(0)]) {
    const ended = endedBytes(bytes);
    assert.notEqual(ended.bytes.buffer, room.buffer);
    assert.deepEqual([...ended.bytes], [...bytes, 0]);
  }
});
