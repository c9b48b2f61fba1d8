import { ByteNumbers } from "../wire/byte-numbers.ts";
import type { Viewed } from "../wire/viewed.ts";

/** Numbers for uids: two are the same exactly when their numbers are. As texts, those of a cluster would take more than its pods. */
export class Uids {
  readonly #known = new ByteNumbers(32 << 20);
  /** Such as no server writes. */
  readonly #others = new Map<string, number>();
  readonly #words = new Uint32Array(4);
  readonly #signed = new Int32Array(this.#words.buffer);

  /** Of none: 0. */
  of(text: string): number {
    if (text === "") return 0;
    const number = text.length === uidLength ? this.ofPlain(bytesOf(text), 0, uidLength) : null;
    return number ?? this.#other(text);
  }

  /** Of ASCII text in bytes; null: it is not written as servers do. */
  readonly ofPlain = (input: Viewed, start: number, end: number): number | null => {
    if (end - start !== uidLength || readUid(input.bytes, start, this.#words) < 0) return null;
    return this.ofWords(this.#words);
  };

  /** Of a uid's 128 bits. */
  ofWords(words: Uint32Array): number {
    if (words !== this.#words) this.#words.set(words);
    // One that found no room keeps the number it has, even if there should be room now.
    const crowded = this.#others.size === 0 ? undefined : this.#others.get(this.#words.join(" "));
    const number = crowded ?? this.#known.of(this.#signed, 0, 16) + 1;
    return number === 0 ? this.#other(this.#words.join(" ")) : number;
  }

  #other(text: string): number {
    const known = this.#others.get(text);
    if (known !== undefined) return known;
    const number = -1 - this.#others.size;
    this.#others.set(text, number);
    return number;
  }
}

const uidLength = 36;

/** What is beyond a byte is no digit of a uid, and must not become one. */
function bytesOf(text: string): Viewed {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = Math.min(text.charCodeAt(at), 0xff);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** Reads a uid as servers write it, in lower case: 8-4-4-4-12. Answers where it ends, or -1. */
export function readUid(bytes: Uint8Array, start: number, into: Uint32Array): number {
  let word = 0;
  let digits = 0;
  for (let at = 0; at < uidLength; at += 1) {
    const byte = bytes[start + at] ?? 0;
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (byte !== 0x2d) return -1;
      continue;
    }
    const digit = hexDigits[byte] ?? 16;
    if (digit > 15) return -1;
    word = (word << 4) | digit;
    digits += 1;
    if ((digits & 7) === 0) into[(digits >> 3) - 1] = word;
  }
  return start + uidLength;
}

const hexDigits = new Uint8Array(256).fill(16);
for (const [digit, letter] of [..."0123456789abcdef"].entries()) hexDigits[letter.charCodeAt(0)] = digit;
