/**
 * Dense numbers for byte strings: two that have one have the same exactly when they are the same. The room is bounded, and so
 * is what somebody can make it cost who chose the bytes for it.
 */
export class ByteNumbers {
  readonly #roomWords: number;
  /** Of each: its number, its length in bytes, its words, one after the other; none lies across two pages. */
  readonly #pages: Int32Array[] = [];
  #pageEnd = pageWords;
  #count = 0;
  /** Hash, and place + 1, of each; 0: free. */
  #slots = new Int32Array(1 << 9);

  constructor(roomBytes: number) {
    this.#roomWords = roomBytes >> 2;
  }

  /** The number of so many bytes from that word on; -1: it gets none. */
  of(words: Int32Array, start: number, length: number): number {
    const end = start + ((length + 3) >> 2);
    // What is behind the last byte counts as zero.
    const rest = length & 3;
    if (rest > 0) words[end - 1] = (words[end - 1] ?? 0) & (0x7fffffff >> (31 - 8 * rest));
    const hash = hashOf(words, start, end, length);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (hash << 1) & mask;
    for (let step = 0; slots[slot + 1] !== 0; step += 1) {
      const place = (slots[slot + 1] ?? 0) - 1;
      const number = slots[slot] === hash ? this.#numberAt(place, words, start, length) : -1;
      if (number >= 0) return number;
      if (step === stepsMax) return -1;
      slot = (slot + 2) & mask;
    }
    return this.#add(slot, hash, words, start, length);
  }

  /** -1: something else stands there. */
  #numberAt(place: number, words: Int32Array, start: number, length: number): number {
    const page = this.#pages[place >> pageBits];
    const from = place & (pageWords - 1);
    if (page === undefined || page[from + 1] !== length) return -1;
    const count = (length + 3) >> 2;
    for (let at = 0; at < count; at += 1) if (page[from + 2 + at] !== words[start + at]) return -1;
    return page[from] ?? -1;
  }

  #add(slot: number, hash: number, words: Int32Array, start: number, length: number): number {
    const count = (length + 3) >> 2;
    const size = count + 2;
    if (this.#pageEnd + size > pageWords) {
      if (size > pageWords || (this.#pages.length + 1) * pageWords > this.#roomWords) return -1;
      this.#pages.push(new Int32Array(pageWords));
      this.#pageEnd = 0;
    }
    const page = this.#pages[this.#pages.length - 1];
    if (page === undefined) return -1;
    const number = this.#count;
    const from = this.#pageEnd;
    page[from] = number;
    page[from + 1] = length;
    // One by one: most are few, and a view of them would take more than they do.
    for (let at = 0; at < count; at += 1) page[from + 2 + at] = words[start + at] ?? 0;
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = ((this.#pages.length - 1) << pageBits) + this.#pageEnd + 1;
    this.#pageEnd += size;
    this.#count += 1;
    if (4 * this.#count > this.#slots.length) this.#grow();
    return number;
  }

  #grow(): void {
    const slots = this.#slots;
    const mask = 2 * slots.length - 1;
    this.#slots = new Int32Array(mask + 1);
    for (let from = 0; from < slots.length; from += 2) {
      if (slots[from + 1] === 0) continue;
      let slot = ((slots[from] ?? 0) << 1) & mask;
      while (this.#slots[slot + 1] !== 0) slot = (slot + 2) & mask;
      this.#slots[slot] = slots[from] ?? 0;
      this.#slots[slot + 1] = slots[from + 1] ?? 0;
    }
  }
}

/** Every other word by itself, so that no multiplication waits for the one before. */
function hashOf(words: Int32Array, start: number, end: number, length: number): number {
  let even = length;
  let odd = 0;
  let at = start;
  for (; at + 1 < end; at += 2) {
    even = Math.imul(even ^ (words[at] ?? 0), 0x9e3779b1) ^ (even >>> 15);
    odd = Math.imul(odd ^ (words[at + 1] ?? 0), 0x85ebca6b) ^ (odd >>> 15);
  }
  if (at < end) even = Math.imul(even ^ (words[at] ?? 0), 0x9e3779b1) ^ (even >>> 15);
  const hash = Math.imul(even ^ (odd >>> 13) ^ (odd << 19), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

const stepsMax = 64;
const pageBits = 14;
const pageWords = 1 << pageBits;

/** What is longer fits into no page with its number and its length, and gets no number. */
export const longestBytes = (pageWords - 2) << 2;
