/** Numbers by place, so many for each, that grow as they are set. */
export class Column<T extends Int32Array | Float64Array> {
  readonly width: number;
  readonly #longer: (length: number) => T;
  #numbers: T;

  private constructor(width: number, longer: (length: number) => T) {
    this.width = width;
    this.#longer = longer;
    this.#numbers = longer(1024 * width);
  }

  static ofWhole(width: number): Column<Int32Array> {
    return new Column(width, (length) => new Int32Array(length));
  }

  static ofAny(width: number): Column<Float64Array> {
    return new Column(width, (length) => new Float64Array(length));
  }

  get(place: number, which: number): number {
    return this.#numbers[place * this.width + which] ?? 0;
  }

  set(place: number, which: number, value: number): void {
    const at = place * this.width + which;
    if (at >= this.#numbers.length) this.#grow(at);
    this.#numbers[at] = value;
  }

  /** By a third: twice the room would mostly stay empty. */
  #grow(at: number): void {
    const numbers = this.#longer(Math.ceil((at + this.width) * 1.33));
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}
