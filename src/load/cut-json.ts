import { isSeparator } from "./split-documents.ts";

/** One JSON value cut out of a stream of bytes, not parsed yet; or a place where the stream is broken. */
export type Cut =
  /** A value that stands by itself. */
  | { readonly part: "value"; readonly bytes: Uint8Array; readonly line: number }
  /** What a list says before its items, closed so that it parses; comes before them. */
  | { readonly part: "head"; readonly bytes: Uint8Array; readonly line: number }
  /** An element of `items`, or of a bare array. */
  | { readonly part: "item"; readonly bytes: Uint8Array; readonly line: number }
  /** The list with its items cut out; comes after them. */
  | { readonly part: "list"; readonly bytes: Uint8Array; readonly line: number }
  | { readonly part: "fault"; readonly fault: string; readonly line: number };

/** Who may read an object at once, before it is cut out byte by byte. */
export interface Ahead {
  /** Tells what was cut out before. */
  settle(cuts: readonly Cut[]): void;
  /** Reads the object that begins there and ends in this chunk; answers where it ends, or -1 to have it cut out. */
  take(at: number, line: number): number;
  /** Line ends in what was taken last. */
  readonly linesTaken: number;
}

const quote = 0x22;
const backslash = 0x5c;
const openObject = 0x7b;
const closeObject = 0x7d;
const openList = 0x5b;
const closeList = 0x5d;
const comma = 0x2c;
const colon = 0x3a;
const newline = 0x0a;
const dash = 0x2d;

/** Far deeper than any object. Parsing what is nested a million levels deep would take seconds. */
const deepest = 1000;

/**
 * Cuts a stream of JSON into values: several values one after the other (NDJSON), and the elements of `{"items": […]}`
 * and of a bare array one by one, so that a list longer than the longest string can be read. Looks at brackets, quotes
 * and line ends only; whether a piece is valid shows when it is parsed. After a fault it goes on at the next line that
 * starts with a bracket; of values one a line, a line that is cut short does not take the next one with it. It ends at a `---` line, behind which another document begins: no line of JSON starts so, and
 * what is read ahead is JSON, so that only what is looked at here need be searched for one.
 */
export class JsonCutter {
  /** The bytes from a `---` line on; null: none was found yet. */
  rest: Uint8Array | null = null;
  readonly #objectBytes: number;
  /** Finished cuts of the present push. */
  #cuts: Cut[] = [];
  /** Bytes of the present piece from earlier chunks. */
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  /** A piece is being collected. */
  #collecting = false;
  #pieceLine = 1;
  /** The last quote, bracket, comma or colon outside of texts. */
  #previous = 0;
  /** The list around the items, as far as it was read; null outside of a list. */
  #envelope: Uint8Array[] | null = null;
  #envelopeLine = 1;
  #depth = 0;
  /** Depth at which pieces stand: 0, 1 inside a bare array, 2 inside `items`. */
  #pieceDepth = 0;
  #inString = false;
  #escaped = false;
  #line: number;
  /** The text being read at depth 1, up to six characters, and whether it was `items` and a colon follows. */
  #text = "";
  #sawColon = false;
  /** Skipping to the next line that starts with a bracket. */
  #lost = false;
  #lineStarts = true;
  /** The last byte of the chunks so far is a line's end. */
  #lineEnded = false;

  constructor(objectBytes: number, firstLine = 1) {
    this.#objectBytes = objectBytes;
    this.#line = firstLine;
  }

  /** The line that is being read, counted from 1. */
  get line(): number {
    return this.#line;
  }

  /**
   * The cuts that end in these bytes. The chunk may be reused afterwards: what is kept is copied. A `---` line has to begin
   * and end in one chunk.
   */
  push(chunk: Uint8Array, ahead: Ahead | null = null): readonly Cut[] {
    this.#cuts = [];
    this.#scan(chunk, ahead);
    if (chunk.length > 0) this.#lineEnded = chunk[chunk.length - 1] === newline;
    return this.#cuts;
  }

  #scan(chunk: Uint8Array, ahead: Ahead | null): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === dash && this.#isSeparator(chunk, at)) {
        this.rest = chunk.subarray(at);
        if (this.#collecting || this.#envelope !== null) this.#keep(chunk.subarray(start, at));
        return;
      }
      if (this.#lost) {
        if (!this.#isFound(byte)) continue;
        start = at;
      }
      if (this.#inString) {
        at = this.#escaped || this.#depth === 1 ? at : endOfText(chunk, at);
        const next = chunk[at];
        if (next !== undefined) this.#stepInString(next);
        continue;
      }
      if (byte === openObject && ahead !== null && this.#isBetweenPieces()) {
        const end = this.#ask(ahead, at);
        if (end > at) {
          at = end - 1;
          start = end;
          continue;
        }
      }
      // Deep inside of a piece only brackets, quotes and line ends matter: nearly every byte ends here.
      if (this.#collecting && this.#depth > this.#pieceDepth && structural[byte] === 0) continue;
      start = this.#step(byte, chunk, start, at);
    }
    if (this.#collecting || this.#envelope !== null) this.#keep(chunk.subarray(start));
  }

  /** Whether a line that starts a document begins at this dash. */
  #isSeparator(chunk: Uint8Array, at: number): boolean {
    const startsLine = at === 0 ? this.#lineEnded : chunk[at - 1] === newline;
    return startsLine && isSeparator(chunk, at);
  }

  #isBetweenPieces(): boolean {
    return !this.#collecting && this.#depth === this.#pieceDepth && !this.#inEnvelope();
  }

  #ask(ahead: Ahead, at: number): number {
    if (this.#cuts.length > 0) {
      ahead.settle(this.#cuts);
      this.#cuts = [];
    }
    const end = ahead.take(at, this.#line);
    if (end > at) this.#line += ahead.linesTaken;
    return end;
  }

  /** What is left when the stream ends. */
  end(): readonly Cut[] {
    this.#cuts = [];
    if (this.#lost) return [];
    const last = this.#isInsideValue() ? this.#lastValueOf(empty) : empty;
    if (last.length > 0) this.#giveUpPiece(last);
    if (this.#collecting && this.#depth === 0 && !this.#inString) this.#finishPiece(empty);
    else if (this.#collecting || this.#depth > 0) this.#fault(`the input ends in the middle of ${this.#unfinished()}`);
    return this.#cuts;
  }

  #unfinished(): string {
    const line = this.#inEnvelope() ? this.#envelopeLine : this.#pieceLine;
    return !this.#collecting || line === this.#line ? "a value" : `the value that begins in line ${line}`;
  }

  #isFound(byte: number): boolean {
    if (byte === newline) {
      this.#line += 1;
      this.#lineStarts = true;
      return false;
    }
    const found = this.#lineStarts && (byte === openObject || byte === openList);
    this.#lineStarts = false;
    if (found) this.#lost = false;
    return found;
  }

  #stepInString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) this.#inString = false;
    else if (byte === newline) {
      this.#fault("a line ends inside a text");
      this.#line += 1;
      this.#lineStarts = true;
    }
    if (this.#depth === 1 && this.#inString && this.#text.length < 6) this.#text += String.fromCharCode(byte);
  }

  /** Looks at one byte outside of texts; answers where the bytes not kept yet begin. */
  #step(byte: number, chunk: Uint8Array, start: number, at: number): number {
    switch (byte) {
      case newline:
        this.#line += 1;
        return this.#depth === 0 && this.#collecting ? this.#finishHere(chunk, start, at) : this.#skipTo(start, at);
      case quote:
        this.#inString = true;
        this.#text = "";
        this.#sawColon = false;
        this.#previous = byte;
        return this.#beginPiece(start, at);
      case colon:
        this.#sawColon = this.#depth === 1 && this.#text === "items";
        this.#previous = byte;
        return start;
      case openObject:
      case openList:
        return this.#openBracket(byte, chunk, this.#behindCutShort(byte, chunk, start, at), at);
      case closeObject:
      case closeList:
        this.#previous = byte;
        return this.#closeBracket(chunk, start, at);
      case comma:
        this.#sawColon = false;
        this.#text = "";
        this.#previous = byte;
        if (this.#depth === this.#pieceDepth && this.#pieceDepth > 0) return this.#endElement(chunk, start, at);
        return start;
      case 0x20:
      case 0x09:
      case 0x0d:
        return this.#depth === 0 && this.#collecting ? this.#finishHere(chunk, start, at) : this.#skipTo(start, at);
      default:
        this.#sawColon = false;
        return this.#beginPiece(start, at);
    }
  }

  /** Where the bytes not kept yet begin, once a piece that was cut short in a line before is given up. */
  #behindCutShort(byte: number, chunk: Uint8Array, start: number, at: number): number {
    let from = start;
    while (byte === openObject && this.#isBehindCutShort(chunk, at)) {
      this.#giveUpPiece(this.#lastValueOf(chunk.subarray(from, at)));
      from = at;
    }
    return from;
  }

  /** Whether an object begins a line where none may begin: a line before it was cut short. */
  #isBehindCutShort(chunk: Uint8Array, at: number): boolean {
    if (!this.#isInsideValue() || !endsValue(this.#previous)) return false;
    return at === 0 ? this.#lineEnded : chunk[at - 1] === newline;
  }

  #isInsideValue(): boolean {
    return this.#collecting && this.#depth > 0 && this.#pieceDepth === 0 && this.#envelope === null;
  }

  /** The last line of the piece that may be a value by itself, with what is behind it. Empty: there is none. */
  #lastValueOf(rest: Uint8Array): Uint8Array {
    const bytes = Buffer.concat([...this.#parts, rest]);
    const from = bytes.lastIndexOf('\n{"');
    return from < 0 ? empty : bytes.subarray(from + 1);
  }

  /** Gives up the piece, which lacks its end, and reads `again` what is behind that. */
  #giveUpPiece(again: Uint8Array): void {
    this.#faultAt(this.#pieceLine, "the line ends in the middle of a value");
    this.#lost = false;
    this.#line -= again.reduce((lines, byte) => lines + (byte === newline ? 1 : 0), 0);
    this.#scan(again, null);
    this.#lost = false;
  }

  /** Outside of a piece nothing needs keeping, but for the envelope of a list. */
  #skipTo(start: number, at: number): number {
    return this.#collecting || this.#inEnvelope() ? start : at + 1;
  }

  #inEnvelope(): boolean {
    return this.#envelope !== null && this.#pieceDepth === 0;
  }

  #beginPiece(start: number, at: number): number {
    if (this.#collecting || this.#depth !== this.#pieceDepth) return start;
    if (this.#inEnvelope()) return start;
    this.#collecting = true;
    this.#pieceLine = this.#line;
    this.#parts = [];
    this.#partBytes = 0;
    return at;
  }

  #openBracket(byte: number, chunk: Uint8Array, start: number, at: number): number {
    if (byte === openList && this.#depth === 0 && !this.#collecting) {
      this.#depth = 1;
      this.#pieceDepth = 1;
      return at + 1;
    }
    if (byte === openList && this.#depth === 1 && this.#pieceDepth === 0 && this.#sawColon) {
      return this.#enterItems(chunk, start, at);
    }
    const begin = this.#beginPiece(start, at);
    this.#previous = byte;
    if (this.#depth > deepest) {
      this.#fault(`brackets are nested deeper than ${deepest} levels`);
      return at + 1;
    }
    this.#depth += 1;
    this.#sawColon = false;
    this.#text = "";
    return begin;
  }

  /** The piece so far turns out to be the head of a list. */
  #enterItems(chunk: Uint8Array, start: number, at: number): number {
    this.#keep(chunk.subarray(start, at + 1));
    if (this.#envelope === null) {
      this.#envelope = [];
      this.#envelopeLine = this.#pieceLine;
      this.#cuts.push({ part: "head", bytes: joined([...this.#parts, endOfHead]), line: this.#pieceLine });
    }
    this.#envelope.push(...this.#parts);
    this.#parts = [];
    this.#partBytes = 0;
    this.#collecting = false;
    this.#sawColon = false;
    this.#depth = 2;
    this.#pieceDepth = 2;
    return at + 1;
  }

  #closeBracket(chunk: Uint8Array, start: number, at: number): number {
    if (this.#depth === 0) {
      this.#fault("a closing bracket without its opening one");
      return at + 1;
    }
    if (this.#depth === this.#pieceDepth) return this.#leaveList(chunk, start, at);
    this.#depth -= 1;
    if (this.#depth > this.#pieceDepth) return start;
    if (this.#inEnvelope()) return this.#finishList(chunk, start, at);
    return this.#finishHere(chunk, start, at + 1);
  }

  /** The end of `items` or of a bare array. */
  #leaveList(chunk: Uint8Array, start: number, at: number): number {
    if (this.#collecting) this.#finishPiece(chunk.subarray(start, at));
    this.#depth -= 1;
    this.#pieceDepth = 0;
    if (this.#envelope === null) return at + 1;
    this.#collecting = true;
    this.#text = "";
    return at;
  }

  #endElement(chunk: Uint8Array, start: number, at: number): number {
    if (this.#collecting) this.#finishPiece(chunk.subarray(start, at));
    return at + 1;
  }

  #finishList(chunk: Uint8Array, start: number, at: number): number {
    this.#keep(chunk.subarray(start, at + 1));
    const bytes = joined([...(this.#envelope ?? []), ...this.#parts]);
    this.#cuts.push({ part: "list", bytes, line: this.#envelopeLine });
    this.#envelope = null;
    this.#parts = [];
    this.#partBytes = 0;
    this.#collecting = false;
    return at + 1;
  }

  #finishHere(chunk: Uint8Array, start: number, end: number): number {
    this.#finishPiece(chunk.subarray(start, end));
    return end;
  }

  #finishPiece(rest: Uint8Array): void {
    const part = this.#pieceDepth === 0 ? "value" : "item";
    const size = this.#partBytes + rest.length;
    if (size > this.#objectBytes) {
      const fault = `an object of ${size} bytes is larger than ${this.#objectBytes} bytes and is left out`;
      this.#cuts.push({ part: "fault", fault, line: this.#pieceLine });
    } else {
      this.#cuts.push({
        part,
        bytes: this.#parts.length === 0 ? copyOf(rest) : joined([...this.#parts, rest]),
        line: this.#pieceLine,
      });
    }
    this.#parts = [];
    this.#partBytes = 0;
    this.#collecting = false;
  }

  /** Copies bytes of the unfinished piece; of one that is too large already only the size is counted. */
  #keep(bytes: Uint8Array): void {
    this.#partBytes += bytes.length;
    if (this.#partBytes <= this.#objectBytes) this.#parts.push(copyOf(bytes));
    else this.#parts = [];
  }

  #fault(fault: string): void {
    this.#faultAt(this.#line, fault);
  }

  #faultAt(line: number, fault: string): void {
    this.#cuts.push({ part: "fault", fault: `broken JSON: ${fault}`, line });
    this.#parts = [];
    this.#partBytes = 0;
    this.#collecting = false;
    this.#envelope = null;
    this.#depth = 0;
    this.#pieceDepth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#lost = true;
    this.#lineStarts = false;
  }
}

/** 1 for the bytes that are looked at inside of a value. */
const structural = new Uint8Array(256);
for (const byte of [quote, openObject, closeObject, openList, closeList, comma, colon, newline]) structural[byte] = 1;

/** Whether a value may end with that byte. */
const endsValue = (byte: number): boolean => byte === quote || byte === closeObject || byte === closeList;

/** Index of the next byte that can end a text or escape its end. */
function endOfText(chunk: Uint8Array, from: number): number {
  let at = from;
  for (; at < chunk.length; at += 1) {
    const byte = chunk[at];
    if (byte === quote || byte === backslash || byte === newline) break;
  }
  return at;
}

/** A Buffer's own slice would be no copy. */
function copyOf(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(bytes.length);
  copy.set(bytes);
  return copy;
}

const empty = new Uint8Array(0);
const endOfHead = new Uint8Array([closeList, closeObject]);

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
