import assert from "node:assert/strict";
import { test } from "node:test";
import { KeptBytes } from "./kept-bytes.ts";
import { UnreadableInput } from "./read-bytes.ts";

/** Chunks that are written over by the next one, as a file's are, and then an end. */
function* once(texts: readonly string[], end: Error | null): Generator<Uint8Array> {
  const buffer = Buffer.alloc(10);
  for (const text of texts) yield buffer.subarray(0, buffer.write(text));
  if (end !== null) throw end;
}

function read(bytes: KeptBytes): { readonly text: string; readonly end: string } {
  let text = "";
  try {
    for (const chunk of bytes.chunks()) text += Buffer.from(chunk).toString();
    return { text, end: "" };
  } catch (error) {
    return { text, end: error instanceof Error ? error.message : "" };
  }
}

for (const [name, texts, end] of [
  ["nothing", [], null],
  ["bytes", ["one\n", "two\n", "three"], null],
  ["bytes that break off", ["one\n", "tw"], new UnreadableInput("too many")],
] as const) {
  test(`${name} can be read again, but is asked for once`, () => {
    let asked = 0;
    const bytes = new KeptBytes(() => {
      asked += 1;
      return once(texts, end);
    });
    const first = read(bytes);
    assert.deepEqual(first, { text: texts.join(""), end: end?.message ?? "" });
    assert.deepEqual([read(bytes), read(bytes)], [first, first]);
    assert.equal(asked, 1);
  });
}
