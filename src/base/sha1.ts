/** The SHA-1 of a text's UTF-8, in hex: names that controllers derive from other names. Not for anything secret. */
export function sha1(text: string): string {
  const bytes = utf8(text);
  const bits = bytes.length * 8;
  bytes.push(0x80);
  while (bytes.length % 64 !== 56) bytes.push(0);
  for (let shift = 56; shift >= 0; shift -= 8) bytes.push(Math.floor(bits / 2 ** shift) & 0xff);
  let state: readonly number[] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let at = 0; at < bytes.length; at += 64) state = block(state, bytes.slice(at, at + 64));
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function block(state: readonly number[], bytes: readonly number[]): readonly number[] {
  const words: number[] = [];
  for (let at = 0; at < 64; at += 4) {
    words.push(
      (byteAt(bytes, at) << 24) |
        (byteAt(bytes, at + 1) << 16) |
        (byteAt(bytes, at + 2) << 8) |
        byteAt(bytes, at + 3) |
        0,
    );
  }
  for (let at = 16; at < 80; at++) {
    words.push(
      rotate(byteAt(words, at - 3) ^ byteAt(words, at - 8) ^ byteAt(words, at - 14) ^ byteAt(words, at - 16), 1),
    );
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (const [at, word] of words.entries()) {
    const next = (rotate(a, 5) + mix(at, b, c, d) + e + word) | 0;
    [a, b, c, d, e] = [next, a, rotate(b, 30), c, d];
  }
  return [a, b, c, d, e].map((word, at) => (word + byteAt(state, at)) | 0);
}

function mix(at: number, b: number, c: number, d: number): number {
  if (at < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (at < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (at < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

function byteAt(list: readonly number[], at: number): number {
  return list[at] ?? 0;
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
  }
  return bytes;
}
