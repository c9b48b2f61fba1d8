import { isJsonObject } from "../wire/fields.ts";
import type { SnapshotItem } from "../wire/snapshot.ts";
import { type Door, elementKind, elementsOf, type ReadValue } from "./door.ts";
import type { InputLimits } from "./limits.ts";
import { expandShape } from "./node-shapes.ts";
import { type JsonResult, parseJsonStream, tellJsonStream } from "./parse-json.ts";
import { parseYamlDocument, type YamlResult } from "./parse-yaml.ts";
import { asBuffer } from "./plain-bytes.ts";
import type { ReadAhead } from "./read-ahead.ts";
import { isGzip, UnreadableInput } from "./read-bytes.ts";
import { splitDocuments, type YamlDocument } from "./split-documents.ts";

/** The objects of one input, JSON or YAML as its first bytes say. `file` is the name problems carry. */
export function* parseInput(
  file: string,
  chunks: Iterable<Uint8Array>,
  door: Door,
  limits: InputLimits,
): Generator<SnapshotItem> {
  try {
    let broken = 0;
    for (const result of resultsOf(file, chunks, limits)) {
      if (!isReadValue(result)) broken += 1;
      if (broken > limits.brokenPlaces) throw tooBroken(limits);
      yield* admitted(result, file, door);
    }
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    door.problem({ file, line: null }, error.message);
  }
}

/**
 * The same objects, told one by one: those of JSON that lie whole in a chunk are read ahead, which is many times faster.
 */
export function tellInput(file: string, chunks: Iterable<Uint8Array>, ahead: ReadAhead): void {
  const { door, limits, listener } = ahead.options;
  let broken = 0;
  const take = (result: JsonResult): void => {
    if (!isReadValue(result)) broken += 1;
    if (broken > limits.brokenPlaces) throw tooBroken(limits);
    for (const item of admitted(result, file, door)) listener.item(item);
  };
  try {
    const { first, all } = peeked(chunks);
    if (notTextFault(first) === null && looksLikeJson(first)) {
      const parts = new AtSeparator(all);
      const { line, rest } = tellJsonStream(file, parts.before(), ahead, take);
      for (const result of documentsOf(file, parts.after(rest), limits, line - 1)) take(result);
    } else for (const item of parseInput(file, all, door, limits)) listener.item(item);
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    door.problem({ file, line: null }, error.message);
  }
}

function tooBroken(limits: InputLimits): UnreadableInput {
  return new UnreadableInput(`more than ${limits.brokenPlaces} broken places; the rest is not read`);
}

function admitted(result: JsonResult | YamlResult, file: string, door: Door): readonly SnapshotItem[] {
  if (!isReadValue(result)) {
    door.problem({ file, line: result.line }, result.problem);
    return [];
  }
  const shape = expandShape(result, door.shapes);
  if (shape !== null && "problem" in shape) {
    door.problem(result.source, shape.problem);
    return [];
  }
  return (shape ?? unpacked(result, 0)).map((read) => door.admit(read)).filter((item) => item !== null);
}

/** Lists inside lists, which `kubectl` takes too, are opened; nobody packs more than a few into each other. */
function unpacked(read: ReadValue, depth: number): readonly ReadValue[] {
  const found = isJsonObject(read.value) && depth < deepestList ? elementsOf(read.value) : null;
  if (found === null || found.list === null) return [read];
  const kind = found.list["kind"];
  const apiVersion = found.list["apiVersion"];
  const listKind = typeof kind === "string" ? elementKind(kind) : "";
  const listApiVersion = typeof apiVersion === "string" ? apiVersion : "";
  return found.elements.flatMap((value) =>
    unpacked({ value, source: read.source, listKind, listApiVersion }, depth + 1),
  );
}

const deepestList = 8;

function isReadValue(result: JsonResult | YamlResult): result is ReadValue {
  return "value" in result;
}

function* resultsOf(
  file: string,
  chunks: Iterable<Uint8Array>,
  limits: InputLimits,
): Generator<JsonResult | YamlResult> {
  const { first, all } = peeked(chunks);
  const fault = notTextFault(first);
  if (fault !== null) {
    yield { problem: fault, line: null };
    return;
  }
  if (!looksLikeJson(first)) {
    yield* documentsOf(file, all, limits, 0);
    return;
  }
  const parts = new AtSeparator(all);
  const { line, rest } = yield* parseJsonStream(file, parts.before(), limits);
  yield* documentsOf(file, parts.after(rest), limits, line - 1);
}

/** Documents between `---` lines: each is YAML, or JSON, by itself. */
function* documentsOf(
  file: string,
  chunks: Iterable<Uint8Array>,
  limits: InputLimits,
  linesBefore: number,
): Generator<JsonResult | YamlResult> {
  for (const document of splitDocuments(file, chunks, limits, linesBefore)) {
    if ("problem" in document) yield document;
    else yield* jsonDocument(document, limits) ?? parseYamlDocument(document, limits);
  }
}

/** Null when it is no JSON: YAML may start with a brace too. */
function jsonDocument({ text, file, lineOffset }: YamlDocument, limits: InputLimits): readonly JsonResult[] | null {
  const start = startOfBody(text);
  if (!isJsonStart(text.slice(start, start + 4096))) return null;
  const firstLine = lineOffset + 1 + (text.slice(0, start).match(/\n/g)?.length ?? 0);
  const results = [...parseJsonStream(file, [new TextEncoder().encode(text.slice(start))], limits, firstLine)];
  return results.every(isReadValue) ? results : null;
}

/** Where a document begins behind its `---`, blank lines and comments. */
function startOfBody(text: string): number {
  let at = 0;
  for (;;) {
    const mark = /^---(?=\s)/.exec(text.slice(at, at + 4));
    if (mark !== null) at += mark[0].length;
    const end = text.indexOf("\n", at);
    const line = end < 0 ? text.slice(at) : text.slice(at, end);
    if (end < 0 || !/^\s*(?:#.*)?$/.test(line)) return at;
    at = end + 1;
  }
}

/** A stream of bytes, parted at the first line that starts a document, which whoever reads what is before it finds. */
class AtSeparator {
  readonly #chunks: Iterator<Uint8Array>;

  constructor(chunks: Iterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.iterator]();
  }

  *before(): Generator<Uint8Array> {
    // Dashes that begin a line at the end of a chunk are held back: the separator may lie across two.
    let held: Uint8Array = new Uint8Array(0);
    let startsLine = false;
    for (let next = this.#chunks.next(); next.done !== true; next = this.#chunks.next()) {
      const bytes = held.length === 0 ? asBuffer(next.value) : Buffer.concat([held, next.value]);
      const keep = dashesAtEnd(bytes, startsLine);
      const passed = bytes.subarray(0, bytes.length - keep);
      // A copy: the next chunk is read over this one.
      held = Uint8Array.from(bytes.subarray(bytes.length - keep));
      if (passed.length > 0) startsLine = passed.at(-1) === 0x0a;
      yield passed;
    }
    yield held;
  }

  /** `rest`: from the separator on, of the chunk that was given last; null when it is in none. */
  *after(rest: Uint8Array | null): Generator<Uint8Array> {
    if (rest === null) return;
    yield rest;
    for (let next = this.#chunks.next(); next.done !== true; next = this.#chunks.next()) yield next.value;
  }
}

/** How many of the last bytes may begin a separator that the next ones end. */
function dashesAtEnd(bytes: Buffer, startsLine: boolean): number {
  const end = /(^|\n)(-{1,3})$/.exec(bytes.subarray(-4).toString("latin1"));
  if (end === null || (end[1] === "" && !(startsLine && bytes.length < 4))) return 0;
  return end[2]?.length ?? 0;
}

/** The first chunk that is not empty, and all chunks with it. */
function peeked(chunks: Iterable<Uint8Array>): { readonly first: Uint8Array; readonly all: Iterable<Uint8Array> } {
  const iterator = chunks[Symbol.iterator]();
  const next = iterator.next();
  const first = next.done === true ? new Uint8Array(0) : new Uint8Array(next.value);
  return { first, all: chained(first, iterator) };
}

function* chained(first: Uint8Array, rest: Iterator<Uint8Array>): Generator<Uint8Array> {
  yield withoutMark(first);
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}

/** Editors of some systems put a byte order mark before UTF-8. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function notTextFault(first: Uint8Array): string | null {
  if (isGzip(first)) return "this is a compressed file; its name must end in .gz";
  const isUtf16 = (first[0] === 0xff && first[1] === 0xfe) || (first[0] === 0xfe && first[1] === 0xff);
  if (isUtf16)
    return "this is UTF-16, as PowerShell writes what is sent to a file; save it as UTF-8 (Out-File -Encoding utf8)";
  return first.subarray(0, 65_536).includes(0) ? "this is not text: it contains NUL bytes" : null;
}

/** A bracket followed by a quote, another bracket or nothing: YAML may start with a brace too, but seldom so. */
function looksLikeJson(first: Uint8Array): boolean {
  const start = new TextDecoder().decode(withoutMark(first).subarray(0, 4096));
  return isJsonStart(start);
}

function isJsonStart(start: string): boolean {
  return /^\s*(?:\{\s*["}]|\[\s*[[{\]"])/.test(start) || /^\s*[{[]\s*$/.test(start);
}
