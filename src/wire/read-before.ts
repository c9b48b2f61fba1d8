import { areSame, type Viewed } from "./viewed.ts";

/**
 * What was made of bytes, by these bytes, while they are among the latest: parts of objects come again and again, as every
 * node's images, every pod's tolerations and labels do. The room is bounded.
 */
export class ReadBefore<T extends object> {
  readonly #room: number;
  /** The bytes, one after the other, from the beginning again when the room is full. */
  #own: Viewed | null = null;
  /** How many were written so far, with those left out at the end of the room. */
  #written = 0;
  readonly #slots: (Entry<T> | undefined)[];

  /** `entries`: a power of two. */
  constructor(roomBytes: number, entries: number) {
    this.#room = roomBytes;
    this.#slots = new Array<Entry<T> | undefined>(entries).fill(undefined);
  }

  find(slot: number, { view }: Viewed, start: number, end: number): T | undefined {
    const entry = this.#slots[slot];
    if (entry === undefined || this.#own === null) return undefined;
    const isKept = entry.length === end - start && entry.at >= this.#written - this.#room;
    if (!isKept || !areSame(this.#own.view, entry.at % this.#room, view, start, entry.length)) return undefined;
    return entry.value;
  }

  keep(slot: number, { bytes }: Viewed, start: number, end: number, value: T): void {
    const length = end - start;
    if (length > this.#room / 4) return;
    this.#own ??= roomOf(this.#room);
    const left = this.#room - (this.#written % this.#room);
    if (left < length) this.#written += left;
    const at = this.#written;
    this.#own.bytes.set(bytes.subarray(start, end), at % this.#room);
    this.#written += length;
    this.#slots[slot] = { at, length, value };
  }

  /** Where such bytes are looked for. By words of them here and there: what is found is compared. */
  slotOf({ bytes, view }: Viewed, start: number, end: number): number {
    const length = end - start;
    let hash = length;
    if (length < 4) {
      for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x9e3779b1);
    } else {
      const last = end - 4;
      const step = Math.max(4, Math.trunc(length / looksMax));
      for (let at = start; at < last; at += step) hash = Math.imul(hash ^ view.getInt32(at, true), 0x9e3779b1);
      hash = Math.imul(hash ^ view.getInt32(last, true), 0x9e3779b1);
    }
    return (hash ^ (hash >>> 15)) & (this.#slots.length - 1);
  }
}

interface Entry<T> {
  /** Of all bytes ever written. */
  readonly at: number;
  readonly length: number;
  readonly value: T;
}

const looksMax = 48;

function roomOf(length: number): Viewed {
  const bytes = new Uint8Array(length);
  return { bytes, view: new DataView(bytes.buffer) };
}
