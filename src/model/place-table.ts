import { underKey } from "../base/under-key.ts";

/** The places of texts that are kept elsewhere, by place. A map of so many would cost more than reading them. */
export class PlaceTable {
  readonly #textAt: (place: number) => string;
  /** Place + 1 by hash; 0: free. The hashes beside them keep most other texts from being looked at. */
  #slots = new Int32Array(1 << 12);
  #hashes = new Int32Array(1 << 12);
  #used = 0;
  /** What found no free slot in sight: nothing, but where somebody chose the texts for it. */
  readonly #crowded = new Map<string, number>();

  constructor(textAt: (place: number) => string) {
    this.#textAt = textAt;
  }

  /** -1: it was not added. */
  find(text: string): number {
    const hash = hashOf(text);
    const mask = this.#slots.length - 1;
    for (let step = 0; step < stepsMax; step += 1) {
      const slot = (hash + step) & mask;
      const place = (this.#slots[slot] ?? 0) - 1;
      if (place < 0) return -1;
      if (this.#hashes[slot] === hash && this.#textAt(place) === text) return place;
    }
    return this.#crowded.get(text) ?? -1;
  }

  /** Where the text is; one that was not added yet gets this place, at which it has to be found from then on. */
  claim(text: string, place: number): number {
    if (3 * this.#used > 2 * this.#slots.length) this.#grow();
    const hash = hashOf(text);
    const mask = this.#slots.length - 1;
    for (let step = 0; step < stepsMax; step += 1) {
      const slot = (hash + step) & mask;
      const known = (this.#slots[slot] ?? 0) - 1;
      if (known < 0) {
        this.#slots[slot] = place + 1;
        this.#hashes[slot] = hash;
        this.#used += 1;
        return place;
      }
      if (this.#hashes[slot] === hash && this.#textAt(known) === text) return known;
    }
    return underKey(this.#crowded, text, () => place);
  }

  /** False: no slot in sight is free. */
  #put(hash: number, place: number): boolean {
    const mask = this.#slots.length - 1;
    for (let step = 0; step < stepsMax; step += 1) {
      const slot = (hash + step) & mask;
      if (this.#slots[slot] !== 0) continue;
      this.#slots[slot] = place + 1;
      this.#hashes[slot] = hash;
      return true;
    }
    return false;
  }

  #grow(): void {
    const [slots, hashes] = [this.#slots, this.#hashes];
    this.#slots = new Int32Array(2 * slots.length);
    this.#hashes = new Int32Array(2 * slots.length);
    // By index: an iterator makes an object for each.
    for (let at = 0; at < slots.length; at += 1) {
      const slot = slots[at] ?? 0;
      if (slot !== 0 && !this.#put(hashes[at] ?? 0, slot - 1)) this.#crowded.set(this.#textAt(slot - 1), slot - 1);
    }
  }
}

const stepsMax = 64;

export function hashOf(text: string): number {
  let hash = text.length;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}
