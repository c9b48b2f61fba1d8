import type { SnapshotItem } from "../wire/snapshot.ts";
import type { Door, ReadValue } from "./door.ts";
import type { InputLimits } from "./limits.ts";
import { expandShape } from "./node-shapes.ts";
import { type JsonResult, parseJsonStream } from "./parse-json.ts";
import { parseYamlDocument, type YamlResult } from "./parse-yaml.ts";
import { UnreadableInput } from "./read-bytes.ts";
import { splitDocuments } from "./split-documents.ts";

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
      if (broken > limits.brokenPlaces)
        throw new UnreadableInput(`more than ${limits.brokenPlaces} broken places; the rest is not read`);
      yield* admitted(result, file, door);
    }
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    door.problem({ file, line: null }, error.message);
  }
}

function* admitted(result: JsonResult | YamlResult, file: string, door: Door): Generator<SnapshotItem> {
  if (!isReadValue(result)) {
    door.problem({ file, line: result.line }, result.problem);
    return;
  }
  const shape = expandShape(result);
  if (shape !== null && "problem" in shape) {
    door.problem(result.source, shape.problem);
    return;
  }
  for (const read of shape ?? [result]) {
    const item = door.admit(read);
    if (item !== null) yield item;
  }
}

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
  if (looksLikeJson(first)) {
    yield* parseJsonStream(file, all, limits);
    return;
  }
  for (const document of splitDocuments(file, all, limits)) {
    if ("problem" in document) yield document;
    else yield* parseYamlDocument(document, limits);
  }
}

/** The first chunk that is not empty, and all chunks with it. */
function peeked(chunks: Iterable<Uint8Array>): { readonly first: Uint8Array; readonly all: Iterable<Uint8Array> } {
  const iterator = chunks[Symbol.iterator]();
  const next = iterator.next();
  const first = next.done === true ? new Uint8Array(0) : next.value.slice();
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
  if (first[0] === 0x1f && first[1] === 0x8b) return "this is a compressed file; its name must end in .gz";
  return first.subarray(0, 65_536).includes(0) ? "this is not text: it contains NUL bytes" : null;
}

/** A bracket followed by a quote, another bracket or nothing: YAML may start with a brace too, but seldom so. */
function looksLikeJson(first: Uint8Array): boolean {
  const start = new TextDecoder().decode(withoutMark(first).subarray(0, 4096));
  return /^\s*(?:\{\s*["}]|\[\s*[[{\]"])/.test(start) || /^\s*[{[]\s*$/.test(start);
}
