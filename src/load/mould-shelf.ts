import { isFleeting } from "../model/template-pool.ts";
import { Tape } from "../wire/tape.ts";
import { type GapValues, Mould, type Pattern } from "./mould.ts";
import { type Viewed, viewed } from "./plain-bytes.ts";
import { podGaps } from "./pod-gaps.ts";
import type { Texts } from "./texts.ts";

/** Moulds of pods of one generateName: as they start, as they run, after a restart. */
interface Bin {
  readonly moulds: Mould[];
  made: number;
  hits: number;
}

/**
 * The moulds in use. Pods of one owner have the same generateName, by which their moulds are found. Lists are in the order
 * of names, so those of a while ago are not needed again: the room is bounded, and the older half is let go when it is
 * full.
 */
export class MouldShelf {
  readonly #roomBytes: number;
  #young = new Map<number, Bin>();
  #youngBytes = 0;
  #old: ReadonlyMap<number, Bin> = new Map();
  #chunk: Viewed = viewed(Buffer.alloc(0));
  /** The first generateName at or after a place in the chunk. */
  #nameFrom = 0;
  #nameAt = -1;
  #block: Buffer = Buffer.alloc(0);
  /** What was found last. */
  hit: Mould | null = null;

  constructor(roomBytes: number) {
    this.#roomBytes = roomBytes;
  }

  /** Other bytes from here on. */
  turnTo(chunk: Viewed): void {
    this.#chunk = chunk;
    this.#nameFrom = 0;
    this.#nameAt = -1;
  }

  /** Where the pod that begins there ends, if a mould is like it (`hit`), with its values; -1: none is. */
  find(start: number, values: GapValues, texts: Texts): number {
    const chunk = this.#chunk;
    const bin = this.#bin(this.#nameHash(start));
    if (bin === undefined) return -1;
    for (let index = 0; index < bin.moulds.length; index += 1) {
      const mould = bin.moulds[index];
      if (mould === undefined) continue;
      const end = mould.match(chunk, start, values, texts);
      if (end < 0) continue;
      bin.hits += 1;
      if (index > 0) {
        bin.moulds.splice(index, 1);
        bin.moulds.unshift(mould);
      }
      this.hit = mould;
      return end;
    }
    return -1;
  }

  /** False: pods of this name have turned out to be each its own. */
  isWorthwhile(start: number): boolean {
    const hash = this.#nameHash(start);
    if (hash === 0) return false;
    const bin = this.#bin(hash);
    return bin === undefined || bin.made < 8 || bin.hits >= bin.made;
  }

  /** Makes a mould of the pod on the tape, if it can be one. */
  add(pattern: Pattern, tape: Tape, values: GapValues, texts: Texts): void {
    const chunk = this.#chunk;
    const gaps = podGaps(tape, isFleeting);
    if (gaps === null) return;
    const at = { start: tape.start(Tape.root), end: tape.end(Tape.root), lines: tape.lines };
    const bytes = this.#copied(at.start, at.end);
    const own = gaps.map(({ kind, start, end }) => ({ kind, start: start - at.start, end: end - at.start }));
    const mould = new Mould(pattern, bytes, own, at.lines);
    // What is in the gaps has to be plain in this one too, or it is written in a way that no gap reads.
    if (mould.match(chunk, at.start, values, texts) !== at.end) return;
    this.#keep(this.#nameHash(at.start), mould);
  }

  /** Cut from larger blocks: one of its own for each would cost more than the copying. */
  #copied(start: number, end: number): Buffer {
    const length = end - start;
    if (this.#block.length < length) this.#block = Buffer.allocUnsafeSlow(Math.max(blockBytes, length));
    const bytes = this.#block.subarray(0, length);
    this.#chunk.bytes.copy(bytes, 0, start, end);
    this.#block = this.#block.subarray(length);
    return bytes;
  }

  #keep(hash: number, mould: Mould): void {
    let bin = this.#bin(hash);
    if (bin === undefined) {
      bin = { moulds: [], made: 0, hits: 0 };
      this.#young.set(hash, bin);
    }
    bin.made += 1;
    bin.moulds.unshift(mould);
    this.#youngBytes += mould.size;
    if (bin.moulds.length > binMax) bin.moulds.pop();
    if (this.#youngBytes < this.#roomBytes / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }

  /** A number for the next generateName, which is that of the pod beginning there, if it has one; 0: none is in sight. */
  #nameHash(start: number): number {
    if (start < this.#nameFrom || start > this.#nameAt) {
      this.#nameFrom = start;
      const at = this.#chunk.bytes.indexOf(nameField, start);
      this.#nameAt = at < 0 ? this.#chunk.bytes.length : at;
    }
    return textHash(this.#chunk.bytes, this.#nameAt + nameField.length);
  }

  #bin(hash: number): Bin | undefined {
    const young = this.#young.get(hash);
    if (young !== undefined) return young;
    const old = this.#old.get(hash);
    if (old === undefined) return undefined;
    this.#young.set(hash, old);
    for (const { size } of old.moulds) this.#youngBytes += size;
    return old;
  }
}

/** Forms of one owner's pods that are told apart. */
const binMax = 12;

const blockBytes = 1 << 18;

const nameField = Buffer.from('"generateName":');

/** Of the text after a colon; 0: there is none. */
function textHash(chunk: Buffer, start: number): number {
  let at = start;
  while (chunk[at] === 0x20) at += 1;
  if (chunk[at] !== 0x22) return 0;
  let hash = 0x811c9dc5;
  for (at += 1; at < chunk.length; at += 1) {
    const byte = chunk[at] ?? 0;
    if (byte === 0x22) break;
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash === 0 ? 1 : hash;
}
