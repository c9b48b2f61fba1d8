import assert from "node:assert/strict";
import { test } from "node:test";
import { Uids } from "./uids.ts";

const uid = "2c5e4360-a9a9-4043-af11-74b3e78e9e38";

function bytesOf(text: string): { readonly bytes: Uint8Array; readonly view: DataView } {
  const bytes = new TextEncoder().encode(text);
  return { bytes, view: new DataView(bytes.buffer) };
}

test("a uid has one number, whether it comes as text, in bytes or as its bits", () => {
  const uids = new Uids();
  const number = uids.of(uid);
  assert.equal(uids.ofPlain(bytesOf(`"${uid}"`), 1, 37), number);
  assert.equal(uids.ofWords(Uint32Array.of(0x2c5e4360, 0xa9a94043, 0xaf1174b3, 0xe78e9e38)), number);
  assert.equal(uids.of(uid), number);
});

test("others have others, and none has 0", () => {
  const uids = new Uids();
  const texts = [
    uid,
    uid.replace("2c5e", "2c5f"),
    uid.toUpperCase(),
    uid.replace("e38", "e3g"),
    // Its low byte is a digit's.
    uid.replace("8", "\u0138"),
    uid.replaceAll("-", ""),
    "node-a",
    "1",
  ];
  const numbers = texts.map((text) => uids.of(text));
  assert.equal(new Set([0, ...numbers]).size, texts.length + 1);
  assert.deepEqual(
    texts.map((text) => uids.of(text)),
    numbers,
  );
  assert.equal(uids.of(""), 0);
  for (const text of texts.slice(2)) assert.equal(uids.ofPlain(bytesOf(text), 0, text.length), null, text);
});
