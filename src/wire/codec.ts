import { none } from "../base/none.ts";
import { underKey } from "../base/under-key.ts";
import type { Json, Written } from "./snapshot.ts";

/**
 * How values of one type are written down compactly and read again. Reading believes nothing: what does not fit sets
 * `fault`, and gives some value of the type, so that the reader ends and the caller can refuse it all.
 */
export interface Codec<T> {
  /** The type in words: two codecs with the same words read each other's bytes. */
  readonly shape: string;
  write(to: CodecWriter, value: T): void;
  read(from: CodecReader): T;
}

export class CodecWriter {
  /** The name under which the reader will know the file; texts that are it are not written. */
  readonly file: string;
  readonly #texts: string[] = [];
  readonly #textNumbers = new Map<string, number>();
  readonly #shared = new Map<unknown, Map<unknown, number>>();
  readonly #before = new Map<unknown, unknown>();
  readonly #values: Json[] = [];
  #numbers = new Uint8Array(1 << 16);
  #end = 0;

  constructor(file: string) {
    this.file = file;
  }

  get written(): Written {
    return { text: this.#texts.join(""), numbers: this.#numbers.subarray(0, this.#end), values: this.#values };
  }

  /** A whole number from 0. */
  count(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#byte((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.#byte(rest);
  }

  /** Any number. */
  number(value: number): void {
    if (Number.isSafeInteger(value) && Math.abs(value) < 2 ** 50 && !Object.is(value, -0)) {
      this.count(value < 0 ? -4 * value - 2 : 4 * value);
      return;
    }
    this.count(1);
    for (const byte of new Uint8Array(new Float64Array([value]).buffer)) this.#byte(byte);
  }

  /** A text that comes again. */
  text(value: string): void {
    const known = this.#textNumbers.get(value);
    if (known !== undefined) {
      this.count(known + 1);
      return;
    }
    this.#textNumbers.set(value, this.#textNumbers.size);
    this.count(0);
    this.ownText(value);
  }

  ownText(value: string): void {
    this.count(value.length);
    this.#texts.push(value);
  }

  /** False: it was written before, and this time its number was. */
  begins(kind: unknown, value: unknown): boolean {
    const numbers = underKey(this.#shared, kind, () => new Map<unknown, number>());
    const known = numbers.get(value);
    this.count(known === undefined ? 0 : known + 1);
    return known === undefined;
  }

  /** To be called when the value is written, parts and all. */
  ends(kind: unknown, value: unknown): void {
    const numbers = this.#shared.get(kind);
    numbers?.set(value, numbers.size);
  }

  value(value: Json): void {
    this.#values.push(value);
  }

  /** The one of this kind that was written before; the present one is so for the next. */
  before(kind: unknown, value: unknown): unknown {
    const before = this.#before.get(kind);
    this.#before.set(kind, value);
    return before;
  }

  #byte(value: number): void {
    if (this.#end === this.#numbers.length) {
      const longer = new Uint8Array(2 * this.#end);
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    this.#numbers[this.#end] = value;
    this.#end += 1;
  }
}

export class CodecReader {
  readonly file: string;
  fault = false;
  readonly #text: string;
  readonly #numbers: Uint8Array;
  readonly #values: readonly Json[];
  readonly #known: string[] = [];
  readonly #shared = new Map<unknown, unknown[]>();
  readonly #before = new Map<unknown, unknown>();
  #at = 0;
  #textAt = 0;
  #valueAt = 0;

  constructor(file: string, { text, numbers, values }: Written) {
    this.file = file;
    this.#text = text;
    this.#numbers = numbers;
    this.#values = values;
  }

  /** True when everything was read and all of it fitted. */
  get isDone(): boolean {
    return (
      !this.fault &&
      this.#at === this.#numbers.length &&
      this.#textAt === this.#text.length &&
      this.#valueAt === this.#values.length
    );
  }

  count(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#numbers[this.#at];
      if (byte === undefined || scale > 2 ** 49) return this.#refuse();
      this.#at += 1;
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
      scale *= 128;
    }
  }

  /** How many of something follow: each takes a byte at least. */
  length(): number {
    const length = this.count();
    return length <= this.#numbers.length - this.#at ? length : this.#refuse();
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
    const number = this.count();
    if (number > 0) {
      const known = this.#known[number - 1];
      if (known === undefined) this.fault = true;
      return known ?? "";
    }
    const text = this.ownText();
    this.#known.push(text);
    return text;
  }

  ownText(): string {
    const length = this.count();
    const end = this.#textAt + length;
    if (end > this.#text.length) {
      this.fault = true;
      return "";
    }
    const text = this.#text.slice(this.#textAt, end);
    this.#textAt = end;
    return text;
  }

  /** Those of a kind that were read so far, the last one last. */
  shared(kind: unknown): unknown[] {
    return underKey(this.#shared, kind, (): unknown[] => []);
  }

  before(kind: unknown): unknown {
    return this.#before.get(kind);
  }

  follows(kind: unknown, value: unknown): void {
    this.#before.set(kind, value);
  }

  value(): Json {
    const value = this.#values[this.#valueAt];
    this.#valueAt += 1;
    if (value === undefined) this.fault = true;
    return value ?? null;
  }

  #refuse(): number {
    this.fault = true;
    // Nothing is left to read, so that every loop ends.
    this.#at = this.#numbers.length;
    return 0;
  }
}

export const number: Codec<number> = {
  shape: "number",
  write: (to, value) => to.number(value),
  read: (from) => from.number(),
};

export const flag: Codec<boolean> = {
  shape: "flag",
  write: (to, value) => to.count(value ? 1 : 0),
  read: (from) => from.count() === 1,
};

export const text: Codec<string> = {
  shape: "text",
  write: (to, value) => to.text(value),
  read: (from) => from.text(),
};

/** A text that hardly comes twice. */
export const ownText: Codec<string> = {
  shape: "ownText",
  write: (to, value) => to.ownText(value),
  read: (from) => from.ownText(),
};

/** The name of a file, which may be that of the file it is written in. */
export const file: Codec<string> = {
  shape: "file",
  write(to, value) {
    to.count(value === to.file ? 0 : 1);
    if (value !== to.file) to.text(value);
  },
  read: (from) => (from.count() === 0 ? from.file : from.text()),
};

/** A value as it is: nothing of it is looked at. */
export const json: Codec<Json> = {
  shape: "json",
  write: (to, value) => to.value(value),
  read: (from) => from.value(),
};

export function oneOf<const T extends readonly (string | number)[]>(...known: T): Codec<T[number]> {
  const [first] = known;
  return {
    shape: known.join("|"),
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
    shape: `${codec.shape}?`,
    write(to, value) {
      to.count(value === null ? 0 : 1);
      if (value !== null) codec.write(to, value);
    },
    read: (from) => (from.count() === 0 ? null : codec.read(from)),
  };
}

export function list<T>(codec: Codec<T>): Codec<T[]> {
  return {
    shape: `[${codec.shape}]`,
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
    shape: `<${codec.shape}>`,
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

/**
 * An object with exactly these fields. Written are those in which it differs from the one before it: objects of one type
 * that follow each other are mostly much alike.
 */
export function fields<T extends object>(codecs: FieldCodecs<T>): Codec<T> {
  const entries = Object.entries(codecs) as [keyof T & string, Codec<T[keyof T]>][];
  const own: Codec<T> = {
    shape: `{${entries.map(([name, codec]) => `${name}:${codec.shape}`).join()}}`,
    write(to, value) {
      const before = to.before(own, value) as T | undefined;
      for (let from = 0; from < entries.length; from += maskFields) {
        const part = entries.slice(from, from + maskFields);
        let mask = 0;
        for (const [at, [name]] of part.entries()) {
          if (before === undefined || !Object.is(before[name], value[name])) mask |= 1 << at;
        }
        to.count(mask);
        for (const [at, [name, codec]] of part.entries()) if ((mask & (1 << at)) !== 0) codec.write(to, value[name]);
      }
    },
    read(from) {
      const before = from.before(own) as { readonly [field: string]: unknown } | undefined;
      const read: { [field: string]: unknown } = { ...before };
      for (let first = 0; first < entries.length; first += maskFields) {
        // Only the fields that are told: mostly one or two of many.
        for (let mask = from.count(); mask !== 0; mask &= mask - 1) {
          const entry = entries[first + 31 - Math.clz32(mask & -mask)];
          if (entry === undefined) from.fault = true;
          else read[entry[0]] = entry[1].read(from);
        }
      }
      if (before === undefined) completed(read, entries, from);
      from.follows(own, read);
      return read as T;
    },
  };
  return own;
}

/** So many fields are told in one number. */
const maskFields = 28;

/** The first of a type must have every field, or those after it would lack some too. */
function completed<T>(
  read: { [field: string]: unknown },
  entries: readonly [string, Codec<T>][],
  from: CodecReader,
): void {
  for (const [name, codec] of entries) {
    if (Object.hasOwn(read, name)) continue;
    from.fault = true;
    read[name] = codec.read(from);
  }
}

/** One of several kinds of objects, told apart by a field. */
export function union<T extends object, K extends keyof T & string>(
  tag: K,
  members: { readonly [name: string]: Codec<T> },
  tagOf: (value: T) => string = (value) => String(value[tag]),
): Codec<T> {
  const names = Object.keys(members);
  const codecs = Object.values(members);
  return {
    shape: `(${names.map((name) => `${name}=${members[name]?.shape}`).join("|")})`,
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
  const own: Codec<T> = {
    shape: `&${codec.shape}`,
    write(to, value) {
      if (!to.begins(own, value)) return;
      codec.write(to, value);
      to.ends(own, value);
    },
    read(from) {
      const number = from.count();
      const known = from.shared(own);
      if (number === 0) {
        const value = codec.read(from);
        known.push(value);
        return value;
      }
      const value = known[number - 1];
      if (value !== undefined) return value as T;
      from.fault = true;
      return codec.read(from);
    },
  };
  return own;
}
