import { closeSync, fstatSync, readSync } from "node:fs";
import { endianness } from "node:os";
import { constants, crc32, gzipSync } from "node:zlib";
import { isJsonList, isJsonObject } from "../wire/fields.ts";
import type { Json, Saved } from "../wire/snapshot.ts";
import type { InputLimits } from "./limits.ts";
import { programDigest } from "./program.ts";
import { type ByteBudget, checkSize, opened, spend, UnreadableInput, unpacked } from "./read-bytes.ts";
import { bytesOf, lengthOf, padding, partsOf, writtenOf } from "./saved-parts.ts";

/**
 * A snapshot file is a row of gzip members, which any gunzip reads as one: blocks of JSON lines, then empty members that carry
 * the model made of them in their headers, then an empty member of a fixed length that says where the model begins. So the
 * model is read without its objects, as it lies there, and the objects block by block.
 */
export interface SavedFile {
  /** Null: another program made it; the objects tell all the same. */
  readonly saved: Saved | null;
  /** Bytes of the blocks with objects, packed; they come first. */
  readonly blocks: readonly number[];
}

/** What follows the blocks. */
export function savedModelMembers({ model, known }: Saved, blocks: readonly number[]): Buffer {
  const parts = { model: partsOf(model), known: known === null ? [] : partsOf(known) };
  const head = Buffer.from(JSON.stringify({ writer: writer(), blocks, ...parts }));
  const bodies = known === null ? [bytesOf(model)] : [bytesOf(model), bytesOf(known)];
  const carried = Buffer.concat([sizeOf(head.length), head, padding(8 + head.length), ...bodies]);
  const start = blocks.reduce((sum, each) => sum + each, 0);
  return Buffer.concat([...carriers(carried), endMember({ start, length: carried.length, sum: crc32(carried) })]);
}

/** One block, by itself a whole gzip file. */
export function packed(bytes: Uint8Array): Buffer {
  return gzipSync(bytes, { level: constants.Z_BEST_SPEED });
}

/** The saved file at that path; null: it is any other compressed file. Throws UnreadableInput. */
export function savedFileAt(path: string, limits: InputLimits): SavedFile | null {
  const descriptor = opened(path);
  try {
    const { size } = fstatSync(descriptor);
    checkSize(size, limits);
    const place = size < endLength ? null : placeOfModel(bytesAt(descriptor, size - endLength, endLength), size);
    if (place === null) return null;
    if (place.length > limits.unpackedBytes) throw new UnreadableInput("the model in this snapshot file is too large");
    const members = bytesAt(descriptor, place.start, size - endLength - place.start);
    const carried = unloaded(members, place.length);
    if (crc32(carried) !== place.sum) throw brokenEnd();
    const headEnd = 8 + Number(carried.readBigUInt64LE(0));
    const head = parsedHead(carried.subarray(8, headEnd));
    const blocks = blocksOf(head["blocks"], place.start);
    if (blocks === null) throw brokenEnd();
    return { saved: savedIn(head, carried.subarray(headEnd + padding(headEnd).length)), blocks };
  } finally {
    closeSync(descriptor);
  }
}

/** The JSON lines of a saved file, block by block. What they unpack to counts, or a small file could have any number of lines. */
export function* savedChunks(
  path: string,
  blocks: readonly number[],
  limits: InputLimits,
  budget: ByteBudget,
): Generator<Uint8Array> {
  const descriptor = opened(path);
  try {
    const before = fstatSync(descriptor);
    let start = 0;
    for (const length of blocks) {
      const lines = unpacked(bytesAt(descriptor, start, length), limits);
      spend(budget, lines.length, limits);
      yield lines;
      start += length;
    }
    const after = fstatSync(descriptor);
    if (before.size !== after.size || before.mtimeMs !== after.mtimeMs) {
      throw new UnreadableInput("the file changed while it was read; what was read may be torn");
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Null: it is not written by this program. */
function savedIn(head: { readonly [field: string]: Json | undefined }, bytes: Buffer): Saved | null {
  const model = head["writer"] === writer() ? writtenOf(head["model"], bytes) : null;
  return model === null ? null : { model, known: writtenOf(head["known"], bytes.subarray(lengthOf(head["model"]))) };
}

/** Another program could read the same objects otherwise, or find something else in them. Numbers are as this machine has them. */
function writer(): string {
  return `${programDigest()} ${endianness()}`;
}

function parsedHead(bytes: Buffer): { readonly [field: string]: Json | undefined } {
  try {
    const head: Json = JSON.parse(bytes.toString("utf8"));
    if (isJsonObject(head)) return head;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw brokenEnd();
}

function brokenEnd(): UnreadableInput {
  return new UnreadableInput("the end of this snapshot file is broken");
}

/** Null: they are not what stands before the model. */
function blocksOf(stated: Json | undefined, modelStart: number): readonly number[] | null {
  if (!isJsonList(stated)) return null;
  const blocks = stated.filter((each) => typeof each === "number" && Number.isSafeInteger(each) && each > 0);
  const lengths = blocks.filter((each) => typeof each === "number");
  const isWhole = blocks.length === stated.length && lengths.reduce((sum, each) => sum + each, 0) === modelStart;
  return isWhole ? lengths : null;
}

/** gzip's header with an extra field of one part, an empty block, and the sums of nothing. */
function emptyMember(name: string, carried: Uint8Array): Buffer {
  const header = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 0, 0, ...Buffer.from(name), 0, 0]);
  header.writeUInt16LE(4 + carried.length, 10);
  header.writeUInt16LE(carried.length, 14);
  return Buffer.concat([header, carried, emptyRest]);
}

const headerLength = 16;
const emptyRest = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/** A header holds less than 64 KiB. */
const carriedMost = 65_528;
const carrierLength = headerLength + carriedMost + emptyRest.length;

function carriers(bytes: Buffer): readonly Buffer[] {
  const count = Math.ceil(bytes.length / carriedMost);
  return Array.from({ length: count }, (_, at) =>
    emptyMember("HM", bytes.subarray(at * carriedMost, (at + 1) * carriedMost)),
  );
}

/** What these members carry, end to end, where arrays of numbers can stand on it. */
function unloaded(members: Buffer, length: number): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(length));
  for (let at = 0; at * carriedMost < length; at += 1) {
    const start = at * carrierLength + headerLength;
    members.copy(bytes, at * carriedMost, start, start + Math.min(carriedMost, length - at * carriedMost));
  }
  return bytes;
}

interface Place {
  readonly start: number;
  /** Of what is carried. */
  readonly length: number;
  readonly sum: number;
}

const placeLength = 24;
const endLength = headerLength + placeLength + emptyRest.length;

function endMember({ start, length, sum }: Place): Buffer {
  return emptyMember("HF", Buffer.concat([sizeOf(start), sizeOf(length), sizeOf(sum)]));
}

function sizeOf(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function placeOfModel(end: Buffer, size: number): Place | null {
  const place = end.subarray(headerLength, headerLength + placeLength);
  if (!emptyMember("HF", place).equals(end)) return null;
  const [start, length, sum] = [0, 8, 16].map((at) => Number(place.readBigUInt64LE(at)));
  if (start === undefined || length === undefined || sum === undefined) return null;
  const members = Math.ceil(length / carriedMost) * (headerLength + emptyRest.length);
  // Before anything else stands how long the head is.
  if (length < 8 || start + length + members + endLength !== size) throw brokenEnd();
  return { start, length, sum };
}

function bytesAt(descriptor: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, bytes, filled, length - filled, start + filled);
    if (count === 0) throw new UnreadableInput("the file ends before it should");
    filled += count;
  }
  return bytes;
}
