import assert from "node:assert/strict";
import { test } from "node:test";
import { CodecReader, CodecWriter, fields, number, shared } from "./codec.ts";

interface Size {
  readonly width: number;
}

interface Weight {
  readonly grams: number;
}

const size = fields<Size>({ width: number });
const weight = fields<Weight>({ grams: number });

interface Pair<T> {
  readonly one: Size;
  readonly other: T;
}

const sizes = fields<Pair<Size>>({ one: shared(size), other: shared(size) });

const mixed = fields<Pair<Weight>>({ one: shared(size), other: shared(weight) });

test("a value that is shared is one object again, and none when it is said to be of another type too", () => {
  const writer = new CodecWriter("");
  const value = { width: 3 };
  writer.record(() => sizes.write(writer, { one: value, other: value }));
  const read = new CodecReader("", writer.written).whole(sizes);
  assert.deepEqual(read, { one: { width: 3 }, other: { width: 3 } });
  assert.equal(read?.one, read?.other);
  assert.equal(new CodecReader("", writer.written).whole(mixed), null);
});
