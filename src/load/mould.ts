import { unixMs } from "../model/parse-time.ts";
import type { AlikePod } from "../wire/snapshot.ts";
import { areSame, endOfDigits, endOfPlain, endOfText, isDigit, numberOf, type ViewedBuffer } from "./plain-bytes.ts";
import { type Gap, type GapKind, gap } from "./pod-gaps.ts";
import type { Texts } from "./texts.ts";

/** What the gaps of the latest match hold. */
export class GapValues implements AlikePod {
  namespace = "";
  key = "";
  readonly uid = new Uint32Array(4);
  version = 0;
  nodeName = "";
  ownNode = "";
  createdAtMs = 0;
  startedAtMs = 0;
  readyAtMs = 0;
  scheduledAtMs = 0;
  restarts = 0;
  claimNames: string[] = [];
}

/** What the listener calls pods like this one, and the namespace of them all. */
export interface Pattern {
  readonly number: number;
  readonly namespace: string;
}

/** Where a pod lies in bytes. */
export interface Place {
  readonly bytes: ViewedBuffer;
  readonly start: number;
  readonly end: number;
}

/**
 * The bytes of a pod with gaps in them. Bytes that are the same everywhere else, and have in the gaps what is plain to
 * read, are a pod that is alike: most pods of a large cluster are known so without being parsed.
 */
export class Mould {
  readonly pattern: number;
  /** Line ends in it. */
  readonly lines: number;
  readonly length: number;
  readonly #namespace: string;
  #own: ViewedBuffer;
  /** Where its bytes begin there. */
  #start: number;
  /** Where in its bytes each part between gaps begins and how long it is: one part more than gaps. */
  readonly #parts: readonly number[];
  readonly #kinds: readonly GapKind[];

  constructor(pattern: Pattern, { bytes, start, end }: Place, gaps: readonly Gap[], lines: number) {
    this.pattern = pattern.number;
    this.#namespace = pattern.namespace;
    this.lines = lines;
    this.length = end - start;
    this.#own = bytes;
    this.#start = start;
    this.#kinds = gaps.map(({ kind }) => kind);
    const parts: number[] = [];
    let from = start;
    for (const gap of gaps) {
      parts.push(from - start, gap.start - from);
      from = gap.end;
    }
    parts.push(from - start, end - from);
    this.#parts = parts;
  }

  /** Its bytes are there from here on. */
  moveTo(room: ViewedBuffer, start: number): void {
    this.#own.bytes.copy(room.bytes, start, this.#start, this.#start + this.length);
    this.#own = room;
    this.#start = start;
  }

  /** Whether what is in its own gaps is plain, or else it is written in a way that no gap reads. */
  isPlain(values: GapValues, texts: Texts): boolean {
    const parts = this.#parts;
    return this.#kinds.every((kind, index) => {
      const start = this.#start + (parts[2 * index] ?? 0) + (parts[2 * index + 1] ?? 0);
      return fill(kind, this.#own, start, values, texts) === this.#start + (parts[2 * index + 2] ?? 0);
    });
  }

  /** Where the pod that begins there ends, with its values; -1: it is not alike. */
  match(chunk: ViewedBuffer, start: number, values: GapValues, texts: Texts): number {
    const own = this.#own;
    const ownStart = this.#start;
    const parts = this.#parts;
    const kinds = this.#kinds;
    const gaps = kinds.length;
    values.restarts = 0;
    values.namespace = this.#namespace;
    if (values.claimNames.length > 0) values.claimNames = [];
    let at = start;
    for (let index = 0; ; index += 1) {
      const length = parts[2 * index + 1] ?? 0;
      if (!areSame(chunk, at, own, ownStart + (parts[2 * index] ?? 0), length)) return -1;
      at += length;
      if (index === gaps) return at;
      at = fill(kinds[index] ?? gap.unread, chunk, at, values, texts);
      if (at < 0) return -1;
    }
  }
}

/** Reads what is in a gap; answers where it ends, or -1. */
function fill(kind: GapKind, chunk: ViewedBuffer, start: number, values: GapValues, texts: Texts): number {
  const { bytes } = chunk;
  switch (kind) {
    case gap.unread:
      return endOfPlain(chunk, start);
    case gap.unreadText:
      return endOfText(chunk, start);
    case gap.unreadNumber:
      return endOfDigits(bytes, start);
    case gap.uid:
      return readUid(bytes, start, values.uid);
    case gap.createdAt:
      values.createdAtMs = timeAt(chunk, start);
      return endOfTime(values.createdAtMs, start);
    case gap.startedAt:
      values.startedAtMs = timeAt(chunk, start);
      return endOfTime(values.startedAtMs, start);
    case gap.readyAt:
      values.readyAtMs = timeAt(chunk, start);
      return endOfTime(values.readyAtMs, start);
    case gap.scheduledAt:
      values.scheduledAtMs = timeAt(chunk, start);
      return endOfTime(values.scheduledAtMs, start);
    case gap.version: {
      const end = endOfDigits(bytes, start);
      if (end > 0) values.version = numberOf(bytes, start, end);
      return end;
    }
    case gap.restarts: {
      const end = endOfDigits(bytes, start);
      if (end > 0) values.restarts += numberOf(bytes, start, end);
      return end;
    }
    case gap.nodeName: {
      const end = endOfPlain(chunk, start);
      if (end === start) return -1;
      if (end > 0) values.nodeName = texts.plain(chunk, start, end);
      return end;
    }
    case gap.ownNode: {
      const end = endOfPlain(chunk, start);
      if (end === start) return -1;
      if (end > 0) values.ownNode = texts.plain(chunk, start, end);
      return end;
    }
    case gap.name: {
      const end = endOfPlain(chunk, start);
      if (end === start) return -1;
      if (end > 0) values.key = keyOf(values.namespace, bytes, start, end);
      return end;
    }
    case gap.claimName: {
      const end = endOfPlain(chunk, start);
      if (end === start) return -1;
      if (end > 0) values.claimNames.push(bytes.toString("latin1", start, end));
      return end;
    }
  }
}

/** Namespace and name as one text that is made at once: texts put together take twice the room. */
function keyOf(namespace: string, chunk: Buffer, start: number, end: number): string {
  const from = namespace.length + 1;
  if (from + end - start > scratch.length) return `${namespace}/${chunk.toString("latin1", start, end)}`;
  if (scratchNamespace !== namespace) {
    scratch.write(`${namespace}/`, "latin1");
    scratchNamespace = namespace;
  }
  for (let at = start; at < end; at += 1) scratch[from + at - start] = chunk[at] ?? 0;
  return scratch.toString("latin1", 0, from + end - start);
}

const scratch = Buffer.alloc(1024);
let scratchNamespace = "";

/** A uid as servers write it, in lower case: 8-4-4-4-12. */
function readUid(chunk: Uint8Array, start: number, into: Uint32Array): number {
  let word = 0;
  let digits = 0;
  for (let at = 0; at < 36; at += 1) {
    const byte = chunk[start + at] ?? 0;
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (byte !== 0x2d) return -1;
      continue;
    }
    const digit = hexDigits[byte] ?? 16;
    if (digit > 15) return -1;
    word = (word << 4) | digit;
    digits += 1;
    if ((digits & 7) === 0) into[(digits >> 3) - 1] = word;
  }
  return start + 36;
}

const hexDigits = new Uint8Array(256).fill(16);
for (const [digit, letter] of new TextEncoder().encode("0123456789abcdef").entries()) hexDigits[letter] = digit;

/** Unix ms of a time; NaN: there is none, or it is written otherwise. Most are the one before: what was made then started then. */
function timeAt({ bytes, view }: ViewedBuffer, start: number): number {
  if (start + timeLength > bytes.length) return Number.NaN;
  const date = view.getFloat64(start);
  const clock = view.getFloat64(start + 8);
  const rest = view.getInt32(start + 16);
  if (date !== latest.date || clock !== latest.clock || rest !== latest.rest) {
    latest.ms = readTime(bytes, start);
    latest.date = date;
    latest.clock = clock;
    latest.rest = rest;
  }
  return latest.ms;
}

/** The time read last, and its bytes as numbers. */
const latest = { ms: Number.NaN, date: Number.NaN, clock: Number.NaN, rest: 0 };

/** Unix ms of `2026-11-01T08:00:00Z`; NaN: it is not written so. */
function readTime(chunk: Uint8Array, start: number): number {
  const isWritten =
    chunk[start + 4] === 0x2d &&
    chunk[start + 7] === 0x2d &&
    chunk[start + 10] === 0x54 &&
    chunk[start + 13] === 0x3a &&
    chunk[start + 16] === 0x3a &&
    chunk[start + 19] === 0x5a;
  if (!isWritten) return Number.NaN;
  const year = twoDigits(chunk, start) * 100 + twoDigits(chunk, start + 2);
  const month = twoDigits(chunk, start + 5);
  const day = twoDigits(chunk, start + 8);
  const hour = twoDigits(chunk, start + 11);
  const minute = twoDigits(chunk, start + 14);
  const second = twoDigits(chunk, start + 17);
  return unixMs(year, month, day, hour, minute, second);
}

const timeLength = 20;

function endOfTime(ms: number, start: number): number {
  return Number.isNaN(ms) ? -1 : start + timeLength;
}

function twoDigits(chunk: Uint8Array, at: number): number {
  const tens = chunk[at];
  const ones = chunk[at + 1];
  if (!isDigit(tens) || !isDigit(ones) || tens === undefined || ones === undefined) return Number.NaN;
  return (tens - 0x30) * 10 + ones - 0x30;
}
