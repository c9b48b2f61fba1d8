import { hashOf } from "../model/place-table.ts";

/** Plain texts that come again and again (nodes' names), each made once and known by its bytes. */
export class Texts {
  #slots: string[] = new Array<string>(1 << 12).fill("");
  #used = 0;

  of(chunk: Buffer, start: number, end: number): string {
    const mask = this.#slots.length - 1;
    let slot = hashOfBytes(chunk, start, end) & mask;
    for (let text = this.#slots[slot] ?? ""; text !== ""; text = this.#slots[slot] ?? "") {
      if (isText(text, chunk, start, end)) return text;
      slot = (slot + 1) & mask;
    }
    const text = chunk.toString("latin1", start, end);
    if (this.#used >= textsMax) return text;
    this.#slots[slot] = text;
    this.#used += 1;
    if (2 * this.#used > this.#slots.length) this.#grow();
    return text;
  }

  #grow(): void {
    const texts = this.#slots.filter((text) => text !== "");
    this.#slots = new Array<string>(2 * this.#slots.length).fill("");
    this.#used = 0;
    for (const text of texts) {
      let slot = hashOf(text) & (this.#slots.length - 1);
      while (this.#slots[slot] !== "") slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = text;
      this.#used += 1;
    }
  }
}

/** What `hashOf` says of the same text, before it is made. */
function hashOfBytes(chunk: Buffer, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (chunk[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}

function isText(text: string, chunk: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) !== chunk[start + at]) return false;
  return true;
}

/** More nodes than any cluster has; a bound against hostile input. */
const textsMax = 100_000;
