import { areSame as areSameWords, plainEnd, spareBytes, type Viewed } from "../wire/viewed.ts";

/** With a buffer's searches. */
export interface ViewedBuffer extends Viewed {
  readonly bytes: Buffer;
}

export function viewed(bytes: Uint8Array): ViewedBuffer {
  return { bytes: asBuffer(bytes), view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

/**
 * The same bytes with one more behind them, a NUL. One look past the end of an array makes V8 leave its fast code for such
 * looks, three times slower, for good: loops that end at a NUL never look there. What they find behind the end of the bytes
 * counts for nothing.
 */
export function endedBytes(bytes: Uint8Array): ViewedBuffer {
  const { buffer, byteOffset, byteLength } = bytes;
  const hasRoom = byteOffset + byteLength + spareBytes <= buffer.byteLength;
  if (!hasRoom || new Uint8Array(buffer)[byteOffset + byteLength] !== 0) {
    const copy = new Uint8Array(byteLength + spareBytes);
    copy.set(bytes);
    return endedBytes(copy.subarray(0, byteLength));
  }
  return {
    bytes: Buffer.from(buffer, byteOffset, byteLength + 1),
    view: new DataView(buffer, byteOffset, byteLength + spareBytes),
  };
}

/** The same bytes with a buffer's searches. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** True when so many bytes are the same in both from these places on. */
export function areSame(a: ViewedBuffer, aStart: number, b: ViewedBuffer, bStart: number, length: number): boolean {
  if (aStart + length > a.bytes.length) return false;
  if (length >= nativeFrom) return a.bytes.compare(b.bytes, bStart, bStart + length, aStart, aStart + length) === 0;
  return areSameWords(a.view, aStart, b.view, bStart, length);
}

/** From here on a call out of JavaScript is worth it. */
const nativeFrom = 512;

/** Where a text without escapes ends, at its quote. */
export function endOfPlain({ bytes, view }: Viewed, start: number): number {
  const at = plainEnd(view, start);
  return bytes[at] === 0x22 ? at : -1;
}

/** Where a text ends; what would make it invalid is left to the parser. */
export function endOfText({ bytes, view }: Viewed, start: number): number {
  let at = plainEnd(view, start);
  while (bytes[at] === 0x5c) {
    if (simpleEscapes[bytes[at + 1] ?? 0] !== 1) return -1;
    at = plainEnd(view, at + 2);
  }
  return bytes[at] === 0x22 ? at : -1;
}

/** The letters that make an escape with the backslash before them. `u` needs digits and is left to the parser. */
const simpleEscapes = new Uint8Array(256);
for (const letter of new TextEncoder().encode('"\\/bfnrt')) simpleEscapes[letter] = 1;

/** Where a whole number ends; one with more digits than a double holds, or a needless zero, is left to the parser. */
export function endOfDigits(chunk: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(chunk[at])) at += 1;
  const length = at - start;
  if (length === 0 || length > 15 || (length > 1 && chunk[start] === 0x30)) return -1;
  const after = chunk[at] ?? 0;
  // A fraction or an exponent is another number.
  return after === 0x2e || after === 0x65 || after === 0x45 ? -1 : at;
}

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

export function numberOf(chunk: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 10 + (chunk[at] ?? 0) - 0x30;
  return value;
}
