import { unixMs } from "../model/parse-time.ts";
import type { AlikePod } from "../wire/snapshot.ts";
import { areSame, endOfDigits, endOfPlain, endOfText, isDigit, numberOf, type Viewed, viewed } from "./plain-bytes.ts";
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

/**
 * The bytes of a pod with gaps in them. Bytes that are the same everywhere else, and have in the gaps what is plain to
 * read, are a pod that is alike: most pods of a large cluster are known so without being parsed.
 */
export class Mould {
  readonly pattern: number;
  /** Line ends in it. */
  readonly lines: number;
  readonly #namespace: string;
  #own: Viewed;
  /** Where in the bytes each part between gaps begins and how long it is: one part more than gaps. */
  readonly #parts: Int32Array;
  readonly #kinds: readonly GapKind[];

  constructor(pattern: Pattern, bytes: Buffer, gaps: readonly Gap[], lines: number) {
    this.pattern = pattern.number;
    this.#namespace = pattern.namespace;
    this.lines = lines;
    this.#own = viewed(bytes);
    this.#kinds = gaps.map(({ kind }) => kind);
    this.#parts = new Int32Array(2 * gaps.length + 2);
    let from = 0;
    for (const [index, { start, end }] of gaps.entries()) {
      this.#parts[2 * index] = from;
      this.#parts[2 * index + 1] = start - from;
      from = end;
    }
    this.#parts[2 * gaps.length] = from;
    this.#parts[2 * gaps.length + 1] = bytes.length - from;
  }

  get bytes(): Buffer {
    return this.#own.bytes;
  }

  /** The same bytes, somewhere else. */
  moveTo(bytes: Buffer): void {
    this.#own = viewed(bytes);
  }

  /** Where the pod that begins there ends, with its values; -1: it is not alike. */
  match(chunk: Viewed, start: number, values: GapValues, texts: Texts): number {
    const own = this.#own;
    const parts = this.#parts;
    const kinds = this.#kinds;
    const gaps = kinds.length;
    values.restarts = 0;
    values.namespace = this.#namespace;
    if (values.claimNames.length > 0) values.claimNames = [];
    let at = start;
    for (let index = 0; ; index += 1) {
      const from = parts[2 * index] ?? 0;
      const length = parts[2 * index + 1] ?? 0;
      if (!areSame(chunk, at, own, from, length)) return -1;
      at += length;
      if (index === gaps) return at;
      at = fill(kinds[index] ?? gap.unread, chunk.bytes, at, values, texts);
      if (at < 0) return -1;
    }
  }
}

/** Reads what is in a gap; answers where it ends, or -1. */
function fill(kind: GapKind, chunk: Buffer, start: number, values: GapValues, texts: Texts): number {
  switch (kind) {
    case gap.unread:
      return endOfPlain(chunk, start);
    case gap.unreadText:
      return endOfText(chunk, start);
    case gap.unreadNumber:
      return endOfDigits(chunk, start);
    case gap.uid:
      return readUid(chunk, start, values.uid);
    case gap.createdAt:
      values.createdAtMs = readTime(chunk, start);
      return endOfTime(values.createdAtMs, start);
    case gap.startedAt:
      values.startedAtMs = readTime(chunk, start);
      return endOfTime(values.startedAtMs, start);
    case gap.readyAt:
      values.readyAtMs = readTime(chunk, start);
      return endOfTime(values.readyAtMs, start);
    case gap.scheduledAt:
      values.scheduledAtMs = readTime(chunk, start);
      return endOfTime(values.scheduledAtMs, start);
    case gap.version: {
      const end = endOfDigits(chunk, start);
      if (end > 0) values.version = numberOf(chunk, start, end);
      return end;
    }
    case gap.restarts: {
      const end = endOfDigits(chunk, start);
      if (end > 0) values.restarts += numberOf(chunk, start, end);
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
      if (end > 0) values.key = keyOf(values.namespace, chunk, start, end);
      return end;
    }
    case gap.claimName: {
      const end = endOfPlain(chunk, start);
      if (end === start) return -1;
      if (end > 0) values.claimNames.push(chunk.toString("latin1", start, end));
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
