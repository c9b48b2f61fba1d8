/**
 * Numbers by place, so many for each. They grow by pages: one array that grows would leave its former ones behind, several
 * times as much as it holds.
 */
export class Column<T extends Int32Array | Float64Array> {
  readonly width: number;
  readonly #page: () => T;
  readonly #pages: T[] = [];

  private constructor(width: number, page: () => T) {
    this.width = width;
    this.#page = page;
  }

  static ofWhole(width: number): Column<Int32Array> {
    return new Column(width, () => new Int32Array(pagePlaces * width));
  }

  static ofAny(width: number): Column<Float64Array> {
    return new Column(width, () => new Float64Array(pagePlaces * width));
  }

  get(place: number, which: number): number {
    return this.#pages[place >> pageBits]?.[(place & (pagePlaces - 1)) * this.width + which] ?? 0;
  }

  set(place: number, which: number, value: number): void {
    let page = this.#pages[place >> pageBits];
    while (page === undefined) {
      this.#pages.push(this.#page());
      page = this.#pages[place >> pageBits];
    }
    page[(place & (pagePlaces - 1)) * this.width + which] = value;
  }
}

/** Texts by place, by pages too. */
export class TextColumn {
  readonly #pages: string[][] = [];

  /** "" where none was set. */
  get(place: number): string {
    return this.#pages[place >> pageBits]?.[place & (pagePlaces - 1)] ?? "";
  }

  set(place: number, text: string): void {
    let page = this.#pages[place >> pageBits];
    while (page === undefined) {
      this.#pages.push([]);
      page = this.#pages[place >> pageBits];
    }
    page[place & (pagePlaces - 1)] = text;
  }
}

const pageBits = 12;
const pagePlaces = 1 << pageBits;
