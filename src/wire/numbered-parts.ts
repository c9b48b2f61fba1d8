import type { ByteNumbers } from "./byte-numbers.ts";

interface Numbered {
  readonly cell: number;
  readonly numbers: ByteNumbers;
  readonly number: number;
}

/** A spec has three such parts. */
const rememberedMax = 6;

/** The numbers that parts of the present object were given when what holds them was looked at: they are asked for soon after. */
export class NumberedParts {
  #latest: Numbered[] = [];

  /** Another object from here on: nothing of what was read before is kept. */
  clear(): void {
    if (this.#latest.length > 0) this.#latest = [];
  }

  add(cell: number, numbers: ByteNumbers, number: number): void {
    if (this.#latest.length === rememberedMax) this.#latest = [];
    this.#latest.push({ cell, numbers, number });
  }

  /** -1: none that is remembered. */
  of(cell: number, numbers: ByteNumbers): number {
    for (let at = 0; at < this.#latest.length; at += 1) {
      const each = this.#latest[at];
      if (each?.cell === cell && each.numbers === numbers) return each.number;
    }
    return -1;
  }
}
