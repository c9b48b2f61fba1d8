/** Numbers of many counters, side by side: each a few, and there are tens of thousands of counters. */
export class Shelf {
  /** Another list once it grows. */
  numbers = new Int32Array(4096);
  #end = 0;

  /** Room for so many numbers, all 0, from the place it returns on. */
  take(count: number): number {
    const from = this.#end;
    this.#end += count;
    if (this.#end > this.numbers.length) {
      const longer = new Int32Array(2 * this.#end);
      longer.set(this.numbers);
      this.numbers = longer;
    }
    return from;
  }
}
