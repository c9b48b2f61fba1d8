import { timeAt, timeLength } from "../model/plain-time.ts";
import { readUid } from "../model/uids.ts";
import type { AlikePod } from "../wire/snapshot.ts";
import { areSame, endOfDigits, endOfPlain, endOfText, numberOf, type ViewedBuffer } from "./plain-bytes.ts";
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

function endOfTime(ms: number, start: number): number {
  return Number.isNaN(ms) ? -1 : start + timeLength;
}
