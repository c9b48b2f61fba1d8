import { Tape } from "../wire/tape.ts";
import { type GapValues, Mould, type Pattern } from "./mould.ts";
import { type ViewedBuffer, viewed } from "./plain-bytes.ts";
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
  readonly #halfBytes: number;
  #young = new Map<number, Bin>();
  #youngBytes = 0;
  #youngRoom: ViewedBuffer | null = null;
  #old: ReadonlyMap<number, Bin> = new Map();
  #oldRoom: ViewedBuffer | null = null;
  #chunk: ViewedBuffer = viewed(Buffer.alloc(0));
  /** The first generateName at or after a place in the chunk. */
  #nameFrom = 0;
  #nameAt = -1;
  /** What was found or made last. */
  #latest: { readonly mould: Mould; readonly bin: Bin } | null = null;

  constructor(roomBytes: number) {
    this.#halfBytes = Math.floor(roomBytes / 2);
  }

  /** What was found last. */
  get hit(): Mould | null {
    return this.#latest?.mould ?? null;
  }

  /** Other bytes from here on. */
  turnTo(chunk: ViewedBuffer): void {
    this.#chunk = chunk;
    this.#nameFrom = 0;
    this.#nameAt = -1;
  }

  /** Where the pod that begins there ends, if a mould is like it (`hit`), with its values; -1: none is. */
  find(start: number, values: GapValues, texts: Texts): number {
    const chunk = this.#chunk;
    // Mostly the pod before it was one of the same owner: then its name need not be looked for.
    const again = this.#latest?.mould.match(chunk, start, values, texts) ?? -1;
    if (again >= 0 && this.#latest !== null) {
      this.#latest.bin.hits += 1;
      return again;
    }
    // Without moulds, as among Deployments, no name need be looked for.
    const bin = this.#young.size + this.#old.size === 0 ? undefined : this.#bin(this.#nameHash(start));
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
      this.#latest = { mould, bin };
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
    const gaps = podGaps(tape);
    if (gaps === null) return;
    const place = { bytes: this.#chunk, start: tape.start(Tape.root), end: tape.end(Tape.root) };
    const mould = new Mould(pattern, place, gaps, tape.lines);
    if (mould.length > this.#halfBytes || !mould.isPlain(values, texts)) return;
    if (this.#youngBytes + mould.length > this.#halfBytes) this.#turnOver();
    this.#moveToYoung(mould);
    this.#keep(this.#nameHash(place.start), mould);
  }

  /** There has to be as much room left. */
  #moveToYoung(mould: Mould): void {
    this.#youngRoom ??= viewed(Buffer.allocUnsafeSlow(this.#halfBytes));
    mould.moveTo(this.#youngRoom, this.#youngBytes);
    this.#youngBytes += mould.length;
  }

  /** The young become old, and what was old is let go. */
  #turnOver(): void {
    [this.#youngRoom, this.#oldRoom] = [this.#oldRoom, this.#youngRoom];
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
    this.#latest = null;
  }

  #keep(hash: number, mould: Mould): void {
    const bin = this.#bin(hash) ?? { moulds: [], made: 0, hits: 0 };
    this.#young.set(hash, bin);
    bin.made += 1;
    bin.moulds.unshift(mould);
    if (bin.moulds.length > binMax) bin.moulds.pop();
    this.#latest = { mould, bin };
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
    const size = old?.moulds.reduce((sum, { length }) => sum + length, 0) ?? 0;
    // Without room beside it for what is old, its room would have to be taken: it is made anew then.
    if (old === undefined || this.#youngBytes + size > this.#halfBytes) return undefined;
    for (const mould of old.moulds) this.#moveToYoung(mould);
    this.#young.set(hash, old);
    return old;
  }
}

/** Forms of one owner's pods that are told apart. */
const binMax = 12;

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
