import { byCodeUnit } from "../base/ordering.ts";
import { NumberedParts } from "./numbered-parts.ts";
import { plainEnd, type Viewed } from "./viewed.ts";

/** Makes texts of bytes. */
export interface TextMaker {
  /** Of printable ASCII. Texts that come again may be the same text. */
  plain(input: Viewed, start: number, end: number): string;
  /** Of valid UTF-8. */
  any(input: Viewed, start: number, end: number): string;
}

/** Maps of texts by their number, as `read-alike.ts` keeps what was read. */
export interface KeptMaps {
  numberOf(tape: Tape, cell: number, reading: "whole", besides: ""): number;
  at(number: number): ReadonlyMap<string, string> | undefined;
  keep(number: number, map: ReadonlyMap<string, string>): void;
}

/**
 * What a cell says of its value: where it lies in the bytes, where the next one's cell is, and where its field's name begins.
 * The name's tag is its length and its last character, by which most others are told from it; of one with escapes or
 * beyond ASCII, the length below zero.
 */
const of = { kind: 0, start: 1, end: 2, next: 3, nameStart: 4, nameTag: 5 } as const;
const width = 6;

/** `oddText`: one with escapes or beyond ASCII. */
export const kindOf = { none: 0, text: 1, oddText: 2, number: 3, yes: 4, no: 5, null: 6, object: 7, list: 8 } as const;

/**
 * A JSON object as it lies in bytes: where each value begins and ends, found in one pass several times faster than parsing.
 * Values are made when they are asked for, and most of an object never is. A value is known by its cell, a number; those
 * of an object or a list follow its own, one after the other. Reading the next object overwrites all.
 */
export class Tape {
  /** The cell of the object itself. */
  static readonly root = 0;
  /** Line ends in the object. */
  lines = 0;
  /** It has bytes beyond ASCII: whether they are valid UTF-8 is not looked at. */
  isBeyondAscii = false;
  /** How often something was found wrong with what was read of objects here. */
  complaints = 0;
  /** Maps of texts that were read, of this and other tapes; null: nobody keeps them. */
  maps: KeptMaps | null = null;
  readonly parts = new NumberedParts();
  readonly #texts: TextMaker;
  #input: Viewed = { bytes: new Uint8Array(0), view: new DataView(new ArrayBuffer(0)) };
  #cells = new Int32Array(width << 10);
  /** Cells of the brackets that are open. */
  readonly #open: Int32Array;

  /** Brackets are nested at most so deep. */
  constructor(texts: TextMaker, deepest: number) {
    this.#texts = texts;
    this.#open = new Int32Array(deepest);
  }

  get input(): Viewed {
    return this.#input;
  }

  /**
   * Reads the object that begins there; answers where it ends, or -1: it is no valid JSON, too deep, or not whole. Every byte
   * of what no mould knows comes by here, so it is one loop. Behind the input's bytes is a NUL.
   */
  read(input: Viewed, start: number): number {
    const { bytes, view } = input;
    this.#input = input;
    this.parts.clear();
    this.lines = 0;
    this.isBeyondAscii = false;
    let cells = this.#cells;
    const open = this.#open;
    let free = 0;
    let depth = 0;
    let at = start;
    let isInObject = false;
    if (bytes[start] !== openObject) return -1;
    for (;;) {
      if (free + width > cells.length) cells = this.#grow();
      if (isInObject) {
        if (bytes[at] !== quote) return -1;
        at += 1;
        cells[free + of.nameStart] = at;
        at = plainEnd(view, at);
        const length = at - (cells[free + of.nameStart] ?? 0);
        if (bytes[at] === quote) cells[free + of.nameTag] = (length << 8) | (bytes[at - 1] ?? 0);
        else {
          const start = at - length;
          at = this.#endOfOddText(at);
          if (at < 0) return -1;
          cells[free + of.nameTag] = start - at;
        }
        at += 1;
        if (bytes[at] !== colon) at = this.#pastSpace(at);
        if (bytes[at] !== colon) return -1;
        at += 1;
        if ((bytes[at] ?? 0) <= space) at = this.#pastSpace(at);
      }
      const first = bytes[at];
      cells[free + of.start] = at;
      cells[free + of.next] = free + width;
      let isEmpty = false;
      if (first === quote) {
        at = plainEnd(view, at + 1);
        const isPlain = bytes[at] === quote;
        if (!isPlain) at = this.#endOfOddText(at);
        if (at < 0 || depth === 0) return -1;
        at += 1;
        cells[free + of.kind] = isPlain ? kindOf.text : kindOf.oddText;
        cells[free + of.end] = at;
        free += width;
      } else if (first === openObject || first === openList) {
        if (depth === open.length) return -1;
        isInObject = first === openObject;
        cells[free + of.kind] = isInObject ? kindOf.object : kindOf.list;
        open[depth] = free;
        depth += 1;
        free += width;
        at += 1;
        if ((bytes[at] ?? 0) <= space) at = this.#pastSpace(at);
        isEmpty = bytes[at] === (isInObject ? closeObject : closeList);
        if (!isEmpty) continue;
      } else {
        at = this.#scalar(at, free);
        if (at < 0 || depth === 0) return -1;
        cells[free + of.end] = at;
        free += width;
      }
      // Behind a value: a comma, or as many closing brackets as there are.
      for (;;) {
        if ((bytes[at] ?? 0) <= space) at = this.#pastSpace(at);
        const next = bytes[at];
        if (next === comma && !isEmpty) {
          at += 1;
          if ((bytes[at] ?? 0) <= space) at = this.#pastSpace(at);
          break;
        }
        if (next !== (isInObject ? closeObject : closeList)) return -1;
        isEmpty = false;
        at += 1;
        depth -= 1;
        const closed = open[depth] ?? 0;
        cells[closed + of.end] = at;
        cells[closed + of.next] = free;
        if (depth === 0) return at;
        isInObject = cells[(open[depth - 1] ?? 0) + of.kind] === kindOf.object;
      }
    }
  }

  /** Of no cell, -1: none. That is asked for often, and a look before an array is as slow as one behind it. */
  kind(cell: number): number {
    return cell < 0 ? kindOf.none : (this.#cells[cell + of.kind] ?? kindOf.none);
  }

  /** Where the value's bytes begin; a text's with its quote. */
  start(cell: number): number {
    return this.#cells[cell + of.start] ?? 0;
  }

  end(cell: number): number {
    return this.#cells[cell + of.end] ?? 0;
  }

  /** The cell behind a value and all that is in it. Those in an object or a list are from `first` to before this. */
  next(cell: number): number {
    return this.#cells[cell + of.next] ?? 0;
  }

  first(cell: number): number {
    return cell + width;
  }

  /** The field of an object; of several with one name the last, as for every parser. -1: it has none. */
  find(object: number, name: string): number {
    const cells = this.#cells;
    const end = cells[object + of.next] ?? 0;
    const tag = tagOf(name);
    let found = -1;
    for (let cell = object + width; cell < end; cell = cells[cell + of.next] ?? end) {
      const own = cells[cell + of.nameTag] ?? 0;
      if (
        own === tag
          ? isAt(name, this.#input.bytes, cells[cell + of.nameStart] ?? 0)
          : own < 0 && this.name(cell) === name
      ) {
        found = cell;
      }
    }
    return found;
  }

  /** Which of these names a field has; -1: none of them. */
  which(field: number, { texts, tags }: Names): number {
    const own = this.#cells[field + of.nameTag] ?? 0;
    if (own < 0) return texts.indexOf(this.name(field));
    for (let at = 0; at < tags.length; at += 1) {
      if (tags[at] === own && isAt(texts[at] ?? "", this.#input.bytes, this.#cells[field + of.nameStart] ?? 0))
        return at;
    }
    return -1;
  }

  nameTag(cell: number): number {
    return this.#cells[cell + of.nameTag] ?? 0;
  }

  /** Where the bytes of a field's name begin, behind its quote. */
  nameStart(cell: number): number {
    return this.#cells[cell + of.nameStart] ?? 0;
  }

  /** Where they end, before the closing quote. */
  nameEnd(cell: number): number {
    const tag = this.nameTag(cell);
    return this.nameStart(cell) + (tag >= 0 ? tag >> 8 : -tag);
  }

  isNamed(cell: number, name: string): boolean {
    const tag = this.nameTag(cell);
    return tag >= 0
      ? tag === tagOf(name) && isAt(name, this.#input.bytes, this.nameStart(cell))
      : this.name(cell) === name;
  }

  name(cell: number): string {
    const start = this.#cells[cell + of.nameStart] ?? 0;
    const tag = this.#cells[cell + of.nameTag] ?? 0;
    if (tag >= 0) return this.#texts.plain(this.#input, start, start + (tag >> 8));
    return String(JSON.parse(this.#texts.any(this.#input, start - 1, start - tag + 1)));
  }

  /** Name and cell of every field of an object, sorted by name; of several with one name the last. */
  fields(object: number): ReadonlyMap<string, number> {
    const fields = new Map<string, number>();
    for (let cell = this.first(object); cell < this.next(object); cell = this.next(cell)) {
      fields.set(this.name(cell), cell);
    }
    return new Map([...fields].sort((a, b) => byCodeUnit(a[0], b[0])));
  }

  isText(cell: number): boolean {
    const kind = this.kind(cell);
    return kind === kindOf.text || kind === kindOf.oddText;
  }

  /** Whether it is that text, which is plain. */
  says(cell: number, text: string): boolean {
    const length = this.end(cell) - this.start(cell) - 2;
    return length === text.length && this.begins(cell, text);
  }

  /** Whether it is a text that begins so. */
  begins(cell: number, text: string): boolean {
    return this.kind(cell) === kindOf.text && isAt(text, this.#input.bytes, this.start(cell) + 1);
  }

  /** A text; "" of anything else. */
  text(cell: number): string {
    const start = this.start(cell);
    const end = this.end(cell);
    const kind = this.kind(cell);
    if (kind === kindOf.text) return this.#texts.plain(this.#input, start + 1, end - 1);
    return kind === kindOf.oddText ? String(JSON.parse(this.#texts.any(this.#input, start, end))) : "";
  }

  /** Of a number's cell. */
  number(cell: number): number {
    return numberOf(this.#input, this.start(cell), this.end(cell), this.#texts);
  }

  /** Any value's JSON. */
  source(cell: number): string {
    return this.#texts.any(this.#input, this.start(cell), this.end(cell));
  }

  #grow(): Int32Array<ArrayBuffer> {
    const cells = new Int32Array(2 * this.#cells.length);
    cells.set(this.#cells);
    this.#cells = cells;
    return cells;
  }

  #pastSpace(start: number): number {
    const { bytes, view } = this.#input;
    for (let at = start; ; at += 1) {
      const byte = bytes[at];
      if (byte === newline) {
        this.lines += 1;
        while (view.getFloat64(at + 1) === eightSpaces) at += 8;
      } else if (byte !== space && byte !== tab && byte !== carriageReturn) return at;
    }
  }

  /** Where a text with escapes, or beyond ASCII, has its closing quote; -1: it is not valid. */
  #endOfOddText(start: number): number {
    const { bytes } = this.#input;
    for (let at = start; ; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) return at;
      if (byte === backslash) {
        const length = lengthOfEscape(bytes, at + 1);
        if (length === 0) return -1;
        at += length;
      } else if (byte >= 0x80) this.isBeyondAscii = true;
      else if (byte < space) return -1;
    }
  }

  /** Passes a number, true, false or null; answers where it ends, or -1. */
  #scalar(start: number, cell: number): number {
    const { bytes } = this.#input;
    switch (bytes[start]) {
      case 0x74:
        this.#cells[cell + of.kind] = kindOf.yes;
        return isAt("true", bytes, start) ? start + 4 : -1;
      case 0x66:
        this.#cells[cell + of.kind] = kindOf.no;
        return isAt("false", bytes, start) ? start + 5 : -1;
      case 0x6e:
        this.#cells[cell + of.kind] = kindOf.null;
        return isAt("null", bytes, start) ? start + 4 : -1;
      default:
        this.#cells[cell + of.kind] = kindOf.number;
        return endOfNumber(bytes, start);
    }
  }
}

/** Names of fields that are looked for together. */
export class Names {
  readonly texts: readonly string[];
  readonly tags: readonly number[];

  constructor(texts: readonly string[]) {
    this.texts = texts;
    this.tags = texts.map(tagOf);
  }
}

/** Before an empty name there is its quote. */
export function tagOf(name: string): number {
  return (name.length << 8) | (name.charCodeAt(name.length - 1) || quote);
}

const quote = 0x22;
const backslash = 0x5c;
const openObject = 0x7b;
const closeObject = 0x7d;
const openList = 0x5b;
const closeList = 0x5d;
const comma = 0x2c;
const colon = 0x3a;
const space = 0x20;
const tab = 0x09;
const newline = 0x0a;
const carriageReturn = 0x0d;
/** Their bytes as a number. */
const eightSpaces = new DataView(new TextEncoder().encode(" ".repeat(8)).buffer).getFloat64(0);

/** Whether the text's characters, which are ASCII, are the bytes that begin there. */
function isAt(text: string, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}

/** How many bytes an escape has behind its backslash; 0: it is none. */
function lengthOfEscape(bytes: Uint8Array, start: number): number {
  const letter = bytes[start] ?? 0;
  if (letter !== 0x75) return simpleEscapes.has(letter) ? 1 : 0;
  for (let at = start + 1; at < start + 5; at += 1) if (!hexDigits.has(bytes[at] ?? 0)) return 0;
  return 5;
}

const simpleEscapes: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)));
const hexDigits: ReadonlySet<number> = new Set([..."0123456789abcdefABCDEF"].map((digit) => digit.charCodeAt(0)));

/** Where a number ends; -1: it is none. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  const whole = bytes[start] === 0x2d ? start + 1 : start;
  let at = endOfDigits(bytes, whole);
  if (at === whole || (at > whole + 1 && bytes[whole] === 0x30)) return -1;
  if (bytes[at] === 0x2e) {
    const fraction = at + 1;
    at = endOfDigits(bytes, fraction);
    if (at === fraction) return -1;
  }
  if (bytes[at] !== 0x65 && bytes[at] !== 0x45) return at;
  const isSigned = bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d;
  const exponent = isSigned ? at + 2 : at + 1;
  at = endOfDigits(bytes, exponent);
  return at === exponent ? -1 : at;
}

function numberOf(input: Viewed, start: number, end: number, texts: TextMaker): number {
  const { bytes } = input;
  if (end - start > 15 || endOfDigits(bytes, start) !== end) return Number(texts.any(input, start, end));
  let number = 0;
  for (let at = start; at < end; at += 1) number = 10 * number + (bytes[at] ?? 0) - 0x30;
  return number;
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at] ?? 0; byte >= 0x30 && byte <= 0x39; byte = bytes[at] ?? 0) at += 1;
  return at;
}
