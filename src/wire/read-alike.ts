import { ByteNumbers } from "./byte-numbers.ts";
import { type FieldReading, Gist } from "./gist.ts";
import type { Tape } from "./tape.ts";

/**
 * What was made of values on a tape, by what of them is read: a part that comes again, in another object and laid out in
 * another way, is what it was before. The room is bounded: what finds none is made anew each time.
 */
export class ReadAlike<T> {
  readonly numbers: ByteNumbers;
  readonly #values: (T | undefined)[] = [];

  constructor(roomBytes: number) {
    this.numbers = new ByteNumbers(roomBytes);
  }

  /**
   * The number of a value; -1: it has none. `besides`: what else is looked at when it is read. Where `numbers` give parts of others their
   * numbers too, what is read of those has to be the same.
   */
  numberOf(tape: Tape, cell: number, reading: FieldReading, besides: string): number {
    // Only what is read in part is numbered as a part of another value.
    const recalled = besides === "" && reading !== "whole" ? tape.parts.of(cell, this.numbers) : -1;
    if (recalled >= 0) return recalled;
    let length = gist.of(tape, cell, reading);
    if (besides !== "") length = gist.add(besides);
    return length < 0 ? -1 : this.numbers.of(gist.words, 0, length);
  }

  /** What was kept under a number; -1 has nothing. */
  at(number: number): T | undefined {
    return number < 0 ? undefined : this.#values[number];
  }

  keep(number: number, value: T): void {
    if (number < 0) return;
    while (this.#values.length < number) this.#values.push(undefined);
    this.#values[number] = value;
  }
}

/** The present one's. */
const gist = new Gist();
