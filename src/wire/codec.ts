import { invariant } from "../base/invariant.ts";
import { none } from "../base/none.ts";
import { underKey } from "../base/under-key.ts";
import { LateMap } from "./late-map.ts";
import type { Json, Written } from "./snapshot.ts";

/**
 * How values of one type are written down compactly and read again, as a whole or when somebody asks. Reading believes nothing:
 * what does not fit sets `fault`, and gives some value of the type, so that the reader ends and the caller can refuse it all.
 */
export interface Codec<T> {
  write(to: CodecWriter, value: T): void;
  read(from: CodecReader): T;
}

/** A column of numbers: one for each of many things. */
export type Numbers = Int32Array | Float64Array;

export class CodecWriter {
  /** The name under which the reader will know the file; texts that are it are not written. */
  readonly file: string;
  readonly #texts: string[] = [];
  readonly #textNumbers = new Map<string, number>();
  readonly #shared = new Map<unknown, Map<unknown, number>>();
  readonly #bases = new Map<unknown, { readonly value: unknown; readonly record: number }>();
  readonly #columns: Numbers[] = [];
  /** Where records begin among the bytes, each after those it refers to. */
  readonly #records: number[] = [];
  readonly #done = new Bytes();
  /** Of records that are being written, one inside the other. */
  readonly #open = new Bytes();

  constructor(file: string) {
    this.file = file;
  }

  /** The last record is what all the others are for. */
  get written(): Written {
    const starts = new Int32Array(this.#texts.length + 1);
    for (const [number, { length }] of this.#texts.entries()) starts[number + 1] = (starts[number] ?? 0) + length;
    return {
      text: this.#texts.join(""),
      starts,
      numbers: this.#done.from(0),
      records: Int32Array.from(this.#records),
      columns: this.#columns,
    };
  }

  /** A whole number from 0. */
  count(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#open.push((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.#open.push(rest);
  }

  /** Any number. */
  number(value: number): void {
    if (Number.isSafeInteger(value) && Math.abs(value) < 2 ** 50 && !Object.is(value, -0)) {
      this.count(value < 0 ? -4 * value - 2 : 4 * value);
      return;
    }
    this.count(1);
    for (const byte of new Uint8Array(new Float64Array([value]).buffer)) this.#open.push(byte);
  }

  text(value: string): void {
    this.count(this.textNumber(value));
  }

  /** The number a text is known by. */
  textNumber(value: string): number {
    const known = this.#textNumbers.get(value);
    if (known !== undefined) return known;
    const number = this.ownTextNumber(value);
    this.#textNumbers.set(value, number);
    return number;
  }

  /** The same of a text that hardly comes twice: it is not looked for among the others. */
  ownTextNumber(value: string): number {
    return this.#texts.push(value) - 1;
  }

  /** Written by itself, to be read when it is asked for. Answers its number. */
  record(write: () => void): number {
    const start = this.#open.length;
    write();
    this.#records.push(this.#done.length);
    this.#done.append(this.#open.from(start));
    this.#open.length = start;
    return this.#records.length - 1;
  }

  /** The record of a value that others of this kind may be too. */
  shared(kind: unknown, value: unknown, write: () => void): number {
    const numbers = underKey(this.#shared, kind, () => new Map<unknown, number>());
    const known = numbers.get(value);
    if (known !== undefined) return known;
    const record = this.record(write);
    numbers.set(value, record);
    return record;
  }

  /** The first of a kind, by which the others are told. */
  base<T>(kind: unknown, value: T, write: () => void): { readonly value: T; readonly record: number } {
    const known = this.#bases.get(kind);
    if (known !== undefined) return known as { readonly value: T; readonly record: number };
    const base = { value, record: this.record(write) };
    this.#bases.set(kind, base);
    return base;
  }

  column(numbers: Numbers): void {
    this.count(this.#columns.push(numbers) - 1);
  }
}

class Bytes {
  #bytes = new Uint8Array(1 << 16);
  length = 0;

  push(byte: number): void {
    this.#fit(1);
    this.#bytes[this.length] = byte;
    this.length += 1;
  }

  append(bytes: Uint8Array): void {
    this.#fit(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  from(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.length);
  }

  #fit(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const longer = new Uint8Array(2 * (this.length + more));
    longer.set(this.#bytes);
    this.#bytes = longer;
  }
}

export class CodecReader {
  readonly file: string;
  fault = false;
  readonly #text: string;
  readonly #starts: Int32Array;
  readonly #numbers: Uint8Array;
  readonly #records: Int32Array;
  readonly #columns: readonly Numbers[];
  readonly #texts: string[] = [];
  /** What shared records were read as. */
  readonly #made = new Map<number, { readonly codec: unknown; readonly value: unknown }>();
  /** The record that is read, where in it, and where it ends. */
  #record: number;
  #at = 0;
  #end = 0;

  constructor(file: string, { text, starts, numbers, records, columns }: Written) {
    this.file = file;
    this.#text = text;
    this.#starts = starts;
    this.#numbers = numbers;
    this.#records = records;
    this.#columns = columns;
    this.#record = records.length;
  }

  /** What was written; null: it does not fit. */
  whole<T>(codec: Codec<T>): T | null {
    const read = this.#within(this.#records.length - 1, codec);
    return this.fault ? null : read;
  }

  /** Part of a whole that did fit. */
  late<T>(record: number, codec: Codec<T>): T {
    const value = this.#within(record, codec);
    invariant(!this.fault, "a saved model is read as it was written");
    return value;
  }

  /** One object, whoever refers to it. */
  shared<T>(record: number, codec: Codec<T>): T {
    const known = this.#made.get(record);
    if (known?.codec === codec) return known.value as T;
    // Nothing is of two types.
    if (known !== undefined) this.#refuse();
    const value = this.#within(record, codec);
    this.#made.set(record, { codec, value });
    return value;
  }

  /** The same, of a whole that did fit. */
  sharedLate<T>(record: number, codec: Codec<T>): T {
    const value = this.shared(record, codec);
    invariant(!this.fault, "a saved model is read as it was written");
    return value;
  }

  #within<T>(record: number, codec: Codec<T>): T {
    const [outer, at, end] = [this.#record, this.#at, this.#end];
    const start = this.#records[record];
    // Records refer to earlier ones: no circle can be.
    if (start === undefined || record >= outer || this.fault) this.#refuse();
    else {
      this.#record = record;
      this.#at = start;
      this.#end = this.#records[record + 1] ?? this.#numbers.length;
    }
    const value = codec.read(this);
    if (this.#at !== this.#end) this.fault = true;
    [this.#record, this.#at, this.#end] = [outer, at, end];
    return value;
  }

  count(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#numbers[this.#at];
      if (byte === undefined || this.#at >= this.#end || scale > 2 ** 49) return this.#refuse();
      this.#at += 1;
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
      scale *= 128;
    }
  }

  /** How many of something follow: each takes a byte at least. */
  length(): number {
    const length = this.count();
    return length <= this.#end - this.#at ? length : this.#refuse();
  }

  number(): number {
    const value = this.count();
    if (value % 4 === 0) return value / 4;
    if (value % 4 === 2) return -(value + 2) / 4;
    const bytes = this.#numbers.slice(this.#at, this.#at + 8);
    if (value !== 1 || bytes.length < 8) return this.#refuse();
    this.#at += 8;
    return new Float64Array(bytes.buffer)[0] ?? 0;
  }

  text(): string {
    return this.textAt(this.count());
  }

  /** By its number. */
  textAt(number: number): string {
    const known = this.#texts[number];
    if (known !== undefined) return known;
    const start = this.#starts[number];
    const end = this.#starts[number + 1];
    if (start === undefined || end === undefined) {
      this.fault = true;
      return "";
    }
    const text = this.#text.slice(start, end);
    this.#texts[number] = text;
    return text;
  }

  /** As many as there are, where no length is asked for. */
  whole32(length?: number): Int32Array {
    const column = this.#column();
    if (column instanceof Int32Array && column.length === (length ?? column.length)) return column;
    this.fault = true;
    return new Int32Array(0);
  }

  floats(length: number): Float64Array {
    const column = this.#column();
    if (column instanceof Float64Array && column.length === length) return column;
    this.fault = true;
    return new Float64Array(0);
  }

  #column(): Numbers | undefined {
    return this.#columns[this.count()];
  }

  #refuse(): number {
    this.fault = true;
    // Nothing is left to read, so that every loop ends.
    this.#at = this.#end;
    return 0;
  }
}

export const number: Codec<number> = {
  write: (to, value) => to.number(value),
  read: (from) => from.number(),
};

export const flag: Codec<boolean> = {
  write: (to, value) => to.count(value ? 1 : 0),
  read: (from) => from.count() === 1,
};

export const text: Codec<string> = {
  write: (to, value) => to.text(value),
  read: (from) => from.text(),
};

/** The name of a file, which may be that of the file it is written in. */
export const file: Codec<string> = {
  write(to, value) {
    to.count(value === to.file ? 0 : 1);
    if (value !== to.file) to.text(value);
  },
  read: (from) => (from.count() === 0 ? from.file : from.text()),
};

/** A value as it is: nothing of it is looked at. */
export const json: Codec<Json> = {
  write: (to, value) => to.text(JSON.stringify(value)),
  read(from) {
    const written = from.text();
    return from.fault ? null : (JSON.parse(written) as Json);
  },
};

export function oneOf<const T extends readonly (string | number)[]>(...known: T): Codec<T[number]> {
  const [first] = known;
  return {
    write: (to, value) => to.count(known.indexOf(value)),
    read(from) {
      const found = known[from.count()];
      if (found === undefined) from.fault = true;
      return (found ?? first) as T[number];
    },
  };
}

export function nullable<T>(codec: Codec<T>): Codec<T | null> {
  return {
    write(to, value) {
      to.count(value === null ? 0 : 1);
      if (value !== null) codec.write(to, value);
    },
    read: (from) => (from.count() === 0 ? null : codec.read(from)),
  };
}

export function list<T>(codec: Codec<T>): Codec<T[]> {
  return {
    write(to, value) {
      to.count(value.length);
      for (const each of value) codec.write(to, each);
    },
    read(from) {
      const length = from.length();
      if (length === 0) return none as readonly T[] as T[];
      const read: T[] = [];
      for (let at = 0; at < length && !from.fault; at += 1) read.push(codec.read(from));
      return read;
    },
  };
}

/** A map by texts; its order is kept. */
export function map<T>(codec: Codec<T>): Codec<Map<string, T>> {
  return {
    write(to, value) {
      to.count(value.size);
      for (const [key, each] of value) {
        to.text(key);
        codec.write(to, each);
      }
    },
    read(from) {
      const read = new Map<string, T>();
      const length = from.length();
      for (let at = 0; at < length && !from.fault; at += 1) read.set(from.text(), codec.read(from));
      return read;
    },
  };
}

export type FieldCodecs<T> = { readonly [K in keyof T]-?: Codec<T[K]> };

/** A map of which each value is read when somebody asks for it. */
export function lateMap<T extends object>(codec: Codec<T>): Codec<ReadonlyMap<string, T>> {
  return {
    write(to, value) {
      const entries = [...value];
      to.column(Int32Array.from(entries, ([key]) => to.textNumber(key)));
      to.column(Int32Array.from(entries, ([, each]) => to.shared(codec, each, () => codec.write(to, each))));
    },
    read(from) {
      const keys = from.whole32();
      const records = from.whole32(keys.length);
      const names = Array.from(keys, (number) => from.textAt(number));
      return new LateMap(names, (place) => from.sharedLate(records[place] ?? -1, codec));
    },
  };
}

/**
 * An object with exactly these fields. Written are those in which it differs from the first of its type: objects of one type
 * are mostly much alike, and each can be read without the others.
 */
export function fields<T extends object>(codecs: FieldCodecs<T>): Codec<T> {
  const entries = Object.entries(codecs) as [keyof T & string, Codec<T[keyof T]>][];
  /** All of them, of the first. */
  const first: Codec<T> = {
    write(to, value) {
      for (const [name, codec] of entries) codec.write(to, value[name]);
    },
    read(from) {
      const read: { [field: string]: unknown } = {};
      for (const [name, codec] of entries) read[name] = codec.read(from);
      // An object that got many fields by name is a dictionary to V8, which copies such a one four times slower than its copy.
      return { ...read } as T;
    },
  };
  return {
    write(to, value) {
      const base = to.base(first, value, () => first.write(to, value));
      to.count(base.record);
      for (let from = 0; from < entries.length; from += maskFields) {
        const part = entries.slice(from, from + maskFields);
        let mask = 0;
        for (const [at, [name]] of part.entries()) if (!Object.is(base.value[name], value[name])) mask |= 1 << at;
        to.count(mask);
        for (const [at, [name, codec]] of part.entries()) if ((mask & (1 << at)) !== 0) codec.write(to, value[name]);
      }
    },
    read(from) {
      const read = { ...from.shared<object>(from.count(), first) } as { [field: string]: unknown };
      for (let at = 0; at < entries.length; at += maskFields) {
        // Only the fields that are told: mostly few of many.
        for (let mask = from.count(); mask !== 0; mask &= mask - 1) {
          const entry = entries[at + 31 - Math.clz32(mask & -mask)];
          if (entry === undefined) from.fault = true;
          else read[entry[0]] = entry[1].read(from);
        }
      }
      return read as T;
    },
  };
}

/** So many fields are told in one number. */
const maskFields = 28;

/** One of several kinds of objects, told apart by a field. */
export function union<T extends object, K extends keyof T & string>(
  tag: K,
  members: { readonly [name: string]: Codec<T> },
  tagOf: (value: T) => string = (value) => String(value[tag]),
): Codec<T> {
  const names = Object.keys(members);
  const codecs = Object.values(members);
  return {
    write(to, value) {
      const at = names.indexOf(tagOf(value));
      to.count(at);
      codecs[at]?.write(to, value);
    },
    read(from) {
      const codec = codecs[from.count()];
      if (codec !== undefined) return codec.read(from);
      from.fault = true;
      return {} as T;
    },
  };
}

/** Objects that many others have: written once, and one object again when they are read. */
export function shared<T extends object>(codec: Codec<T>): Codec<T> {
  return {
    write: (to, value) => to.count(to.shared(codec, value, () => codec.write(to, value))),
    read: (from) => from.shared(from.count(), codec),
  };
}
