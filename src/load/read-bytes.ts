import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { spareBytes } from "../wire/viewed.ts";
import type { InputLimits } from "./limits.ts";

/** Why a file's bytes end early or may not be what they were. */
export class UnreadableInput extends Error {}

/** Few enough to stay in the processor's cache from where the file is copied to where it is read. */
const chunkBytes = 512 << 10;

/** Counts what all inputs together have given. */
export interface ByteBudget {
  usedBytes: number;
}

/** The bytes of a file in chunks; the chunk is overwritten by the next one. Throws UnreadableInput. */
export function* readFileChunks(path: string, limits: InputLimits, budget: ByteBudget): Generator<Uint8Array> {
  const descriptor = opened(path);
  try {
    const before = fstatSync(descriptor);
    if (before.isFile()) checkSize(before.size, limits);
    if (!before.isFile() && !before.isFIFO()) throw new UnreadableInput("this is neither a file nor a pipe");
    // A folder may have many small files.
    const room = before.isFile() ? Math.min(chunkBytes, before.size + 1) : chunkBytes;
    yield* readChunks(descriptor, room, limits, budget);
    const after = fstatSync(descriptor);
    if (before.isFile() && (before.size !== after.size || before.mtimeMs !== after.mtimeMs)) {
      throw new UnreadableInput("the file changed while it was read; what was read may be torn");
    }
  } finally {
    closeSync(descriptor);
  }
}

export function checkSize(size: number, limits: InputLimits): void {
  if (size > limits.fileBytes)
    throw new UnreadableInput(`the file has ${size} bytes; at most ${limits.fileBytes} are read`);
}

/** Counts these bytes, and ends reading when that is too many. */
export function spend(budget: ByteBudget, bytes: number, limits: InputLimits): void {
  budget.usedBytes += bytes;
  if (budget.usedBytes > limits.totalBytes)
    throw new UnreadableInput(`all inputs together have more than ${limits.totalBytes} bytes; the rest is not read`);
}

export function* readStdinChunks(limits: InputLimits, budget: ByteBudget): Generator<Uint8Array> {
  const chunks = readChunks(0, chunkBytes, limits, budget);
  const first = chunks.next();
  if (first.done === true) return;
  const all = startingWith(first.value, chunks);
  yield* isGzip(first.value) ? unpackedChunks(all, limits) : all;
}

function* startingWith(first: Uint8Array, rest: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield first;
  yield* rest;
}

/** A compressed file is unpacked whole, up to a limit: a small file may unpack to a very large one. */
export function* readGzipChunks(path: string, limits: InputLimits, budget: ByteBudget): Generator<Uint8Array> {
  yield* unpackedChunks(readFileChunks(path, limits, budget), limits);
}

function* unpackedChunks(chunks: Iterable<Uint8Array>, limits: InputLimits): Generator<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const chunk of chunks) parts.push(new Uint8Array(chunk));
  yield* inChunks(unpacked(Buffer.concat(parts), limits));
}

/** As a file's are. */
export function* inChunks(bytes: Buffer): Generator<Uint8Array> {
  const room = Math.min(chunkBytes, bytes.length);
  const buffer = Buffer.alloc(room + spareBytes);
  const lastStart = new LastStart();
  for (let at = 0; at < bytes.length; ) {
    const filled = bytes.copy(buffer, 0, at, at + room);
    const end = at + filled < bytes.length ? lastStart.of(buffer, filled) : filled;
    buffer[end] = 0;
    yield buffer.subarray(0, end);
    at += end;
  }
}

/** Whether it can be read but once. */
export function isPipe(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
}

/** Whether a file is compressed, by its first bytes: a pipe is not looked into. */
export function isPackedFile(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    const descriptor = openSync(path, "r");
    try {
      const first = new Uint8Array(2);
      return readSync(descriptor, first) === 2 && isGzip(first);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // What is wrong with it is said when it is read.
    return false;
  }
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

export function unpacked(bytes: Uint8Array, limits: InputLimits): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: limits.unpackedBytes });
  } catch (error) {
    const isTooLarge = error instanceof RangeError || codeOf(error) === "ERR_BUFFER_TOO_LARGE";
    const reason = isTooLarge ? `it unpacks to more than ${limits.unpackedBytes} bytes` : "it is not a whole gzip file";
    throw new UnreadableInput(`the file cannot be unpacked: ${reason}`);
  }
}

export function opened(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY);
  } catch (error) {
    throw new UnreadableInput(`the file cannot be opened: ${codeOf(error)}`);
  }
}

/**
 * Chunks end where an object probably does, so that few lie across two, and behind their bytes is a NUL, at which loops over
 * bytes end by themselves (`endedBytes`).
 */
function* readChunks(descriptor: number, room: number, limits: InputLimits, budget: ByteBudget): Generator<Uint8Array> {
  const buffer = Buffer.alloc(room + spareBytes);
  const lastStart = new LastStart();
  let fileBytes = 0;
  /** Bytes of the object that the next chunk begins with. */
  let kept = 0;
  for (;;) {
    const count = readOnce(descriptor, buffer.subarray(kept, room));
    if (count === 0) break;
    fileBytes += count;
    if (fileBytes > limits.fileBytes)
      throw new UnreadableInput(`more than ${limits.fileBytes} bytes; the rest is not read`);
    spend(budget, count, limits);
    const filled = kept + count;
    const end = lastStart.of(buffer, filled);
    const behind = buffer[end] ?? 0;
    buffer[end] = 0;
    yield buffer.subarray(0, end);
    buffer[end] = behind;
    buffer.copyWithin(0, end, filled);
    kept = filled - end;
  }
  buffer[kept] = 0;
  if (kept > 0) yield buffer.subarray(0, kept);
}

/** Where objects begin: at the begin of a line, as in NDJSON, or as items of a List, indented twice by two spaces or by kubectl's four. */
const objectStarts = ["\n{", "\n    {", "\n        {"] as const;

/** Finds where the last object of a block begins. A file's are written alike: where one began tells how the next ones do. */
class LastStart {
  #latest: (typeof objectStarts)[number] = objectStarts[0];

  /** The end, where no object's begin is in sight. */
  of(buffer: Buffer, end: number): number {
    const from = Math.max(0, end - tailBytes);
    const tail = buffer.subarray(from, end);
    for (const start of [this.#latest, ...objectStarts]) {
      const at = tail.lastIndexOf(start);
      if (at < 0) continue;
      this.#latest = start;
      return from + at + start.length - 1;
    }
    return end;
  }
}

/** Longer than most objects. */
const tailBytes = 64 << 10;

/** A pipe that is not ready yet is asked again. */
function readOnce(descriptor: number, buffer: Uint8Array): number {
  for (;;) {
    try {
      return readSync(descriptor, buffer);
    } catch (error) {
      const code = codeOf(error);
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw new UnreadableInput(`reading failed: ${code}`);
      Atomics.wait(pause, 0, 0, 10);
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));

export function codeOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error) return String(error.code);
  return error instanceof Error ? error.message : String(error);
}
