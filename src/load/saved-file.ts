import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { constants, gunzipSync, gzipSync } from "node:zlib";
import { modelShape } from "../model/saved-model.ts";
import { isJsonList, isJsonObject } from "../wire/fields.ts";
import type { Json, Written } from "../wire/snapshot.ts";
import type { InputLimits } from "./limits.ts";
import { codeOf, UnreadableInput } from "./read-bytes.ts";

/**
 * A snapshot file is a row of gzip members, which any gunzip reads as one: blocks of JSON lines, then one more line with
 * the model that was made of them, then an empty member of a fixed length that says where the model begins. So the model
 * is read without its objects, and the objects block by block.
 */
export interface SavedFile {
  /** Null: another version made it; the objects tell all the same. */
  readonly model: Written | null;
  /** Bytes of the blocks with objects, packed; they come first. */
  readonly blocks: readonly number[];
}

const kind = "SavedModel";

/** The last line of the file and its end, to follow the blocks. */
export function savedModelMembers(written: Written, blocks: readonly number[]): Buffer {
  const line = {
    apiVersion: "holdfast.dev/v1alpha1",
    kind,
    metadata: { name: "model" },
    shape: shapeHash(),
    blocks,
    text: written.text,
    numbers: Buffer.from(written.numbers).toString("base64"),
    values: written.values,
  };
  const model = packed(Buffer.from(`${JSON.stringify(line)}\n`));
  const start = blocks.reduce((sum, each) => sum + each, 0);
  return Buffer.concat([model, endMember(start, model.length)]);
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
    const place = size < endLength ? null : placeOfModel(bytesAt(descriptor, size - endLength, endLength), size);
    if (place === null) return null;
    const line = parsedModel(bytesAt(descriptor, place.start, place.length), limits);
    const blocks = line === null ? null : blocksOf(line["blocks"], place.start);
    if (line === null || blocks === null) throw new UnreadableInput("the end of this snapshot file is broken");
    return { model: line["shape"] === shapeHash() ? writtenOf(line) : null, blocks };
  } finally {
    closeSync(descriptor);
  }
}

/** The JSON lines of a saved file, block by block. */
export function* savedChunks(path: string, blocks: readonly number[], limits: InputLimits): Generator<Uint8Array> {
  const descriptor = opened(path);
  try {
    const before = fstatSync(descriptor);
    let start = 0;
    for (const length of blocks) {
      yield unpacked(bytesAt(descriptor, start, length), limits);
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

/** What the model was written as, in few characters. */
function shapeHash(): string {
  return createHash("sha1").update(modelShape).digest("hex");
}

function parsedModel(bytes: Buffer, limits: InputLimits): { readonly [field: string]: Json | undefined } | null {
  try {
    const line: Json = JSON.parse(unpacked(bytes, limits).toString("utf8"));
    return isJsonObject(line) && line["kind"] === kind ? line : null;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === "ERR_STRING_TOO_LONG") return null;
    throw error;
  }
}

function writtenOf({ text, numbers, values }: { readonly [field: string]: Json | undefined }): Written | null {
  if (typeof text !== "string" || typeof numbers !== "string" || !isJsonList(values)) return null;
  return { text, numbers: Buffer.from(numbers, "base64"), values };
}

/** Null: they are not what stands before the model. */
function blocksOf(stated: Json | undefined, modelStart: number): readonly number[] | null {
  if (!isJsonList(stated)) return null;
  const blocks = stated.filter((each) => typeof each === "number" && Number.isSafeInteger(each) && each > 0);
  const lengths = blocks.filter((each) => typeof each === "number");
  const isWhole = blocks.length === stated.length && lengths.reduce((sum, each) => sum + each, 0) === modelStart;
  return isWhole ? lengths : null;
}

/** gzip's header with an extra field, an empty block, and the sums of nothing. */
const endStart = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 20, 0, 0x48, 0x46, 16, 0]);
const endRest = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const endLength = endStart.length + 16 + endRest.length;

function endMember(start: number, length: number): Buffer {
  const place = Buffer.alloc(16);
  place.writeBigUInt64LE(BigInt(start), 0);
  place.writeBigUInt64LE(BigInt(length), 8);
  return Buffer.concat([endStart, place, endRest]);
}

function placeOfModel(end: Buffer, size: number): { readonly start: number; readonly length: number } | null {
  const isEnd = end.subarray(0, endStart.length).equals(endStart) && end.subarray(endStart.length + 16).equals(endRest);
  if (!isEnd) return null;
  const start = Number(end.readBigUInt64LE(endStart.length));
  const length = Number(end.readBigUInt64LE(endStart.length + 8));
  if (start + length + endLength !== size) throw new UnreadableInput("the end of this snapshot file is broken");
  return { start, length };
}

function unpacked(bytes: Buffer, limits: InputLimits): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: limits.unpackedBytes });
  } catch (error) {
    throw new UnreadableInput(`this snapshot file is broken: ${codeOf(error)}`);
  }
}

function opened(path: string): number {
  try {
    return openSync(path, "r");
  } catch (error) {
    throw new UnreadableInput(`the file cannot be opened: ${codeOf(error)}`);
  }
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
