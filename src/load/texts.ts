import type { TextMaker } from "../wire/tape.ts";
import { areSame, type Viewed } from "../wire/viewed.ts";
import { asBuffer } from "./plain-bytes.ts";

/**
 * Texts that come again and again (names of fields, nodes, labels), each made once and known by its bytes. Of two for one
 * slot the later one stays, so that the room is bounded and texts that never come again do no harm.
 */
export class Texts implements TextMaker {
  readonly #slots: number;
  readonly #texts: string[];
  readonly #lengths: Uint8Array;
  /** Every slot's bytes; none before the first text. */
  #kept = new DataView(new ArrayBuffer(0));

  /** `slots`: a power of two. */
  constructor(slots: number) {
    this.#slots = slots;
    this.#texts = [];
    this.#lengths = new Uint8Array(slots);
  }

  plain({ bytes, view }: Viewed, start: number, end: number): string {
    const length = end - start;
    if (length > keptMax || length === 0) return made(bytes, "latin1", start, end);
    const slot = hashOf(view, start, length) & (this.#slots - 1);
    if (this.#lengths[slot] === length && areSame(this.#kept, slot * keptMax, view, start, length)) {
      return this.#texts[slot] ?? "";
    }
    const text = made(bytes, "latin1", start, end);
    if (this.#texts.length === 0) this.#makeRoom();
    this.#texts[slot] = text;
    this.#lengths[slot] = length;
    for (let at = 0; at < length; at += 1) this.#kept.setUint8(slot * keptMax + at, bytes[start + at] ?? 0);
    return text;
  }

  #makeRoom(): void {
    this.#kept = new DataView(new ArrayBuffer(this.#slots * keptMax));
    for (let slot = 0; slot < this.#slots; slot += 1) this.#texts.push("");
  }

  any({ bytes }: Viewed, start: number, end: number): string {
    return made(bytes, "utf8", start, end);
  }
}

function made(bytes: Uint8Array, encoding: "latin1" | "utf8", start: number, end: number): string {
  return asBuffer(bytes).toString(encoding, start, end);
}

/** Longer ones seldom come again. */
const keptMax = 64;

/** By four bytes, the last four once more. */
function hashOf(view: DataView, start: number, length: number): number {
  let hash = length;
  if (length < 4) {
    for (let at = 0; at < length; at += 1) hash = Math.imul(hash ^ view.getUint8(start + at), 0x01000193);
  } else {
    for (let at = 0; at < length - 4; at += 4) hash = Math.imul(hash ^ view.getInt32(start + at), 0x9e3779b1);
    hash = Math.imul(hash ^ view.getInt32(start + length - 4), 0x9e3779b1);
  }
  return hash ^ (hash >>> 15);
}
