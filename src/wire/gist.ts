import { type ByteNumbers, longestBytes } from "./byte-numbers.ts";
import { kindOf, type Tape, tagOf } from "./tape.ts";

/** How a field is read: not at all; whether it has a value; all of it. Or what of it is read, as `Reading` says. */
export type FieldReading = "unread" | "presence" | "whole" | Reading;

/** What is read of an object, or of each object of a list. */
export interface ReadingOf {
  /** Field → how it is read. */
  readonly fields: Readonly<Record<string, FieldReading>>;
  /** All other fields. */
  readonly others: "unread" | "whole";
  /** In a list, objects with two fields, a text `name` and one of these, are as if they were not there. */
  readonly leftOut?: readonly string[];
  /** Where its values have numbers, so that what holds them need not repeat their bytes. */
  readonly numbers?: ByteNumbers;
}

interface NamedReading {
  readonly tag: number;
  readonly name: string;
  readonly reading: FieldReading;
}

/** ReadingOf, ready for use. */
export class Reading {
  readonly others: "unread" | "whole";
  readonly leftOut: readonly string[];
  readonly numbers: ByteNumbers | null;
  /** By the tag of the name. */
  readonly #bins: readonly NamedReading[][] = Array.from({ length: binCount }, () => []);

  constructor({ fields, others, leftOut = [], numbers }: ReadingOf) {
    this.others = others;
    this.leftOut = leftOut;
    this.numbers = numbers ?? null;
    for (const [name, reading] of Object.entries(fields)) {
      const tag = tagOf(name);
      this.#binOf(tag).push({ tag, name, reading });
    }
  }

  named(field: string): FieldReading {
    return this.#binOf(tagOf(field)).find(({ name }) => name === field)?.reading ?? this.others;
  }

  of(tape: Tape, cell: number): FieldReading {
    const tag = tape.nameTag(cell);
    const named = this.#binOf(tag);
    // By index, here and below: an iterator makes objects, and every field that is looked at comes by here.
    for (let at = 0; at < named.length; at += 1) {
      const one = named[at];
      if (one?.tag === tag && tape.isNamed(cell, one.name)) return one.reading;
    }
    return this.others;
  }

  /** A map would take longer to ask than the few names of a bin to compare. */
  #binOf(tag: number): NamedReading[] {
    return this.#bins[(tag ^ (tag >> 7)) & (binCount - 1)] ?? [];
  }
}

/** Of fields that are named, few share one. */
const binCount = 64;

/**
 * The bytes of a value that count: as written, without white space between them and without what is not read. Two values
 * with the same bytes here are read as the same.
 */
export class Gist {
  /** In words, as it is looked up; what is behind the end of the last one is zero. */
  readonly words = new Int32Array(gistMax >> 2);
  readonly #bytes = new DataView(this.words.buffer);
  #end = 0;
  #isWhole = true;
  #view: DataView = this.#bytes;

  /** How many bytes it is; -1: it has no gist, being too long. */
  of(tape: Tape, cell: number, reading: FieldReading): number {
    this.#end = 0;
    this.#isWhole = true;
    this.#view = tape.input.view;
    this.#written(tape, cell, reading);
    // The bytes that were looked at are not kept.
    this.#view = this.#bytes;
    return this.#isWhole ? this.#end : -1;
  }

  /** Adds a text; answers how many bytes it is now. */
  add(text: string): number {
    for (let at = 0; at < text.length; at += 1) {
      this.#byte(text.charCodeAt(at));
      this.#byte(text.charCodeAt(at) >> 8);
    }
    return this.#isWhole ? this.#end : -1;
  }

  #value(tape: Tape, cell: number, reading: FieldReading): void {
    if (reading instanceof Reading && reading.numbers !== null) {
      this.#numbered(tape, cell, reading, reading.numbers);
    } else this.#written(tape, cell, reading);
  }

  #numbered(tape: Tape, cell: number, reading: Reading, numbers: ByteNumbers): void {
    const before = this.#end;
    while ((this.#end & 3) !== 0) this.#byte(0);
    const start = this.#end;
    this.#written(tape, cell, reading);
    const number = this.#isWhole ? numbers.of(this.words, start >> 2, this.#end - start) : -1;
    if (number < 0) this.#isWhole = false;
    tape.parts.add(cell, numbers, number);
    this.#end = before;
    for (let shift = 0; shift < 32; shift += 8) this.#byte(number >> shift);
  }

  #written(tape: Tape, cell: number, reading: FieldReading): void {
    const kind = tape.kind(cell);
    // Objects of one line seldom have white space; those that do have another gist with than without, and no harm is done.
    if (reading === "whole" && tape.lines === 0) this.#copy(tape.start(cell), tape.end(cell));
    else if (kind === kindOf.object) this.#object(tape, cell, reading);
    else if (kind === kindOf.list) this.#list(tape, cell, reading);
    else this.#copy(tape.start(cell), tape.end(cell));
  }

  #object(tape: Tape, object: number, reading: FieldReading): void {
    const end = tape.next(object);
    this.#byte(0x7b);
    for (let cell = tape.first(object); cell < end; cell = tape.next(cell)) {
      const own = reading instanceof Reading ? reading.of(tape, cell) : "whole";
      if (own === "unread") continue;
      this.#copy(tape.nameStart(cell) - 1, tape.nameEnd(cell) + 1);
      if (own === "presence") this.#byte(tape.kind(cell) === kindOf.null ? 0x30 : 0x31);
      else this.#value(tape, cell, own);
      this.#byte(0x2c);
    }
    this.#byte(0x7d);
  }

  #list(tape: Tape, list: number, reading: FieldReading): void {
    const end = tape.next(list);
    this.#byte(0x5b);
    for (let cell = tape.first(list); cell < end; cell = tape.next(cell)) {
      if (reading instanceof Reading && isLeftOut(tape, cell, reading.leftOut)) continue;
      this.#written(tape, cell, reading);
      this.#byte(0x2c);
    }
    this.#byte(0x5d);
  }

  #copy(start: number, end: number): void {
    const own = this.#bytes;
    const from = this.#view;
    let to = this.#end;
    if (to + end - start > gistMax) {
      this.#isWhole = false;
      return;
    }
    let at = start;
    for (; at + 4 <= end; at += 4, to += 4) own.setInt32(to, from.getInt32(at, true), true);
    for (; at < end; at += 1, to += 1) own.setUint8(to, from.getUint8(at));
    this.#end = to;
  }

  #byte(byte: number): void {
    if (this.#end === gistMax) this.#isWhole = false;
    else {
      this.#bytes.setUint8(this.#end, byte);
      this.#end += 1;
    }
  }
}

/** Most are a few hundred. A constant of this file: V8 folds no imported one. */
const gistMax = longestBytes;

function isLeftOut(tape: Tape, cell: number, names: readonly string[]): boolean {
  if (names.length === 0 || tape.kind(cell) !== kindOf.object) return false;
  const one = tape.first(cell);
  const other = tape.next(one);
  if (one >= tape.next(cell) || other >= tape.next(cell) || tape.next(other) !== tape.next(cell)) return false;
  const name = tape.isNamed(one, "name") ? one : other;
  const source = name === one ? other : one;
  if (!tape.isNamed(name, "name") || !tape.isText(name)) return false;
  for (let at = 0; at < names.length; at += 1) if (tape.isNamed(source, names[at] ?? "")) return true;
  return false;
}
