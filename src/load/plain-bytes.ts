/** Bytes with both ways to compare them. */
export interface Viewed {
  readonly bytes: Buffer;
  readonly view: DataView;
}

export function viewed(bytes: Uint8Array): Viewed {
  return {
    bytes: bytes instanceof Buffer ? bytes : asBuffer(bytes),
    view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  };
}

/**
 * The same bytes with one more behind them, a NUL unless somebody wrote there. One look past the end of an array makes V8
 * leave its fast code for such looks, three times slower, for good: loops that end at a NUL never look there. What they find
 * behind the end of the bytes counts for nothing.
 */
export function endedBytes(bytes: Uint8Array): Buffer {
  const { buffer, byteOffset, byteLength } = bytes;
  if (byteOffset + byteLength < buffer.byteLength) return Buffer.from(buffer, byteOffset, byteLength + 1);
  const copy = Buffer.alloc(byteLength + 1);
  copy.set(bytes);
  return copy;
}

/** The same bytes with a buffer's searches. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** True when so many bytes are the same in both from these places on. */
export function areSame(a: Viewed, aStart: number, b: Viewed, bStart: number, length: number): boolean {
  if (aStart + length > a.bytes.length) return false;
  if (length >= nativeFrom) return a.bytes.compare(b.bytes, bStart, bStart + length, aStart, aStart + length) === 0;
  return sameWords(a.view, aStart, b.view, bStart, length);
}

/** From here on a call out of JavaScript is worth it. */
const nativeFrom = 192;

function sameWords(a: DataView, aStart: number, b: DataView, bStart: number, length: number): boolean {
  let at = 0;
  for (const end = length - 3; at < end; at += 4) {
    if (a.getInt32(aStart + at) !== b.getInt32(bStart + at)) return false;
  }
  for (; at < length; at += 1) if (a.getUint8(aStart + at) !== b.getUint8(bStart + at)) return false;
  return true;
}

/** 1: a byte that stands for itself in a JSON text. */
const plain = new Uint8Array(256);
for (let byte = 0x20; byte < 0x7f; byte += 1) plain[byte] = 1;
plain[0x22] = 0;
plain[0x5c] = 0;

/** Where a text without escapes ends, at its quote. */
export function endOfPlain(chunk: Uint8Array, start: number): number {
  let at = start;
  while (plain[chunk[at] ?? 0] === 1) at += 1;
  return chunk[at] === 0x22 ? at : -1;
}

/** Where a text ends; what would make it invalid is left to the parser. */
export function endOfText(chunk: Uint8Array, start: number): number {
  for (let at = start; at < chunk.length; at += 1) {
    const byte = chunk[at] ?? 0;
    if (byte === 0x22) return at;
    if (byte === 0x5c) {
      at += 1;
      if (simpleEscapes[chunk[at] ?? 0] !== 1) return -1;
    } else if (plain[byte] === 0) return -1;
  }
  return -1;
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
