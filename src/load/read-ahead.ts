import { isAscii } from "node:buffer";
import { isJsonObject } from "../wire/fields.ts";
import { deepestNesting } from "../wire/scrub.ts";
import type { Json, JsonObject, SnapshotListener } from "../wire/snapshot.ts";
import type { Ahead, Cut } from "./cut-json.ts";
import type { Door } from "./door.ts";
import type { InputLimits } from "./limits.ts";
import { GapValues } from "./mould.ts";
import { MouldShelf, type Place } from "./mould-shelf.ts";
import { viewed } from "./plain-bytes.ts";
import { Texts } from "./texts.ts";

export interface AheadOptions {
  readonly file: string;
  readonly door: Door;
  readonly limits: InputLimits;
  readonly listener: SnapshotListener;
  readonly settle: (cuts: readonly Cut[]) => void;
}

/** Room for moulds. Of a list in the order of names far less is in use at a time. */
const mouldBytes = 8 * 2 ** 20;

/**
 * Reads objects that lie whole in the present bytes: pods that are like an earlier one by its mould, others by the
 * parser at once, on their line or up to the closing bracket that stands under their opening one. Whatever is not plainly
 * an object that can be used is left to be cut out byte by byte, so that there is one place that says what is wrong.
 */
export class ReadAhead implements Ahead {
  readonly settle: (cuts: readonly Cut[]) => void;
  linesTaken = 0;
  readonly #options: AheadOptions;
  readonly #shelf = new MouldShelf(mouldBytes);
  readonly #texts = new Texts();
  readonly #values = new GapValues();
  #chunk: Buffer = Buffer.alloc(0);
  #end: { readonly indent: number; readonly bytes: Buffer } = { indent: -1, bytes: Buffer.alloc(0) };

  constructor(options: AheadOptions) {
    this.#options = options;
    this.settle = options.settle;
  }

  /** The bytes that are read from here on. */
  turnTo(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#shelf.turnTo(viewed(chunk));
  }

  take(at: number, line: number): number {
    const end = this.#shelf.find(at, this.#values, this.#texts);
    const mould = this.#shelf.hit;
    if (end > 0 && mould !== null) {
      this.#options.listener.alike(mould.pattern, this.#values, { file: this.#options.file, line });
      this.linesTaken = mould.lines;
      return end;
    }
    return this.#parse(at, line);
  }

  #parse(start: number, line: number): number {
    const lineEnd = this.#chunk.indexOf(newline, start);
    if (lineEnd < 0) return -1;
    // A bracket alone on its line opens an object of several lines.
    const isOneLine = lineEnd > start + 1;
    const end = isOneLine ? endOnLine(this.#chunk, start, lineEnd) : this.#endBelow(start);
    if (end < 0 || end - start > this.#options.limits.objectBytes) return -1;
    const text = textOf(this.#chunk, start, end);
    const value = text === null ? undefined : parsed(text);
    if (text === null || !isJsonObject(value) || !isPlainObject(value) || !isShallow(text)) return -1;
    this.linesTaken = isOneLine ? 0 : count(text, "\n", text.length);
    return this.#tell(value, { start, end, lines: this.linesTaken }, line);
  }

  /** Answers where it ends. */
  #tell(value: JsonObject, place: Place, line: number): number {
    const { file, door, listener } = this.#options;
    const read = { value, source: { file, line }, listKind: "", listApiVersion: "" };
    const item = door.admit(read, isReadOnce(value) ? "as read" : "scrubbed");
    if (item === null) return place.end;
    const pattern = listener.item(item);
    if (pattern >= 0 && this.#shelf.isWorthwhile(place.start)) {
      this.#shelf.add({ number: pattern, namespace: namespaceOf(value) }, place, this.#values, this.#texts);
    }
    return place.end;
  }

  /** Where an object ends whose last bracket stands under the line of its first; -1: not in these bytes. */
  #endBelow(start: number): number {
    const chunk = this.#chunk;
    let indent = 0;
    while (chunk[start - 1 - indent] === 0x20) indent += 1;
    if (start - 1 - indent >= 0 && chunk[start - 1 - indent] !== newline) return -1;
    if (this.#end.indent !== indent) this.#end = { indent, bytes: Buffer.from(`\n${" ".repeat(indent)}}`) };
    const at = chunk.indexOf(this.#end.bytes, start);
    return at < 0 ? -1 : at + this.#end.bytes.length;
  }
}

/** False: nested deeper than any object that is used. */
function isShallow(text: string): boolean {
  const opened = count(text, "{", deepestNesting) + count(text, "[", deepestNesting);
  return opened <= deepestNesting || depthOf(text) <= deepestNesting;
}

/** How often the character comes; one more than `most` stands for any more. */
function count(text: string, character: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0 && found <= most; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}

/** How deep the brackets of valid JSON are nested. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text.charCodeAt(at);
    if (byte === quote) {
      for (at += 1; at < text.length && text.charCodeAt(at) !== quote; at += 1) {
        if (text.charCodeAt(at) === backslash) at += 1;
      }
    } else if (byte === openBracket || byte === openList) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === closeBracket || byte === closeList) depth -= 1;
  }
  return deepest;
}

const quote = 0x22;
const backslash = 0x5c;
const openList = 0x5b;
const closeList = 0x5d;
const newline = 0x0a;
const openBracket = 0x7b;
const closeBracket = 0x7d;

/** The end of an object and of its line, apart from space and the comma of a list. */
function endOnLine(chunk: Buffer, start: number, lineEnd: number): number {
  let at = lineEnd - 1;
  if (chunk[at] === 0x0d) at -= 1;
  if (chunk[at] === 0x2c) at -= 1;
  return at > start && chunk[at] === closeBracket ? at + 1 : -1;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Null: these bytes are no UTF-8. */
function textOf(chunk: Buffer, start: number, end: number): string | null {
  const bytes = chunk.subarray(start, end);
  try {
    return isAscii(bytes) ? bytes.toString("latin1") : utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Undefined: this is no JSON. */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Says itself what it is, and is neither a list nor anything that stands for others. */
function isPlainObject(value: JsonObject): boolean {
  return (
    typeof value["apiVersion"] === "string" &&
    typeof value["kind"] === "string" &&
    isJsonObject(value["metadata"]) &&
    !Object.hasOwn(value, "items") &&
    !Object.hasOwn(value, "count")
  );
}

/** Of a pod: one without is in `default`. */
function namespaceOf({ metadata }: JsonObject): string {
  const stated = isJsonObject(metadata) ? metadata["namespace"] : undefined;
  return typeof stated === "string" && stated !== "" ? stated : "default";
}

/** Numerous kinds of which nobody keeps the object; a server's, which is known again by its version. */
function isReadOnce({ kind, metadata }: JsonObject): boolean {
  if (typeof kind !== "string" || !readOnce.has(kind) || !isJsonObject(metadata)) return false;
  return typeof metadata["resourceVersion"] === "string" && metadata["resourceVersion"] !== "";
}

const readOnce: ReadonlySet<string> = new Set([
  "Pod",
  "ReplicaSet",
  "Node",
  "Deployment",
  "Service",
  "PodDisruptionBudget",
]);
