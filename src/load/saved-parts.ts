import { isJsonList } from "../wire/fields.ts";
import type { Json, Written } from "../wire/snapshot.ts";

/** What stands where among the bytes, in order. */
export type WrittenParts = readonly (readonly [kind: Kind, bytes: number])[];

/** Text of one byte or two a character; bytes; whole numbers; any numbers. */
type Kind = "latin1" | "utf16le" | "bytes" | "whole" | "any";

export function partsOf(written: Written): WrittenParts {
  return sectionsOf(written).map(([kind, bytes]) => [kind, bytes.byteLength]);
}

/** The parts, each where an array of numbers can stand. */
export function bytesOf(written: Written): Buffer {
  return Buffer.concat(
    sectionsOf(written).flatMap(([, { buffer, byteOffset, byteLength }]) => [
      Buffer.from(buffer, byteOffset, byteLength),
      padding(byteLength),
    ]),
  );
}

/** What is missing to the next place where a number may stand. */
export function padding(length: number): Buffer {
  return Buffer.alloc(-length & 7);
}

function sectionsOf({ text, starts, numbers, records, columns }: Written): readonly [Kind, NodeJS.ArrayBufferView][] {
  const encoding = /[^\0-\xff]/.test(text) ? "utf16le" : "latin1";
  return [
    [encoding, Buffer.from(text, encoding)],
    ["whole", starts],
    ["bytes", numbers],
    ["whole", records],
    ...columns.map((column): [Kind, NodeJS.ArrayBufferView] => [
      column instanceof Int32Array ? "whole" : "any",
      column,
    ]),
  ];
}

/** How many bytes these parts take. */
export function lengthOf(stated: Json | undefined): number {
  const parts = isJsonList(stated) ? stated.map(partOf) : [];
  return parts.reduce((sum, part) => sum + (part === null ? 0 : part.length + (-part.length & 7)), 0);
}

/** What was written, over its bytes; null: these are not its parts. */
export function writtenOf(stated: Json | undefined, bytes: Buffer): Written | null {
  const parts = isJsonList(stated) ? stated.map(partOf) : [];
  let at = 0;
  const sections: (string | Uint8Array | Int32Array | Float64Array)[] = [];
  for (const part of parts) {
    if (part === null || at + part.length > bytes.length) return null;
    sections.push(sectionOf(part.kind, bytes.subarray(at, at + part.length)));
    at += part.length + (-part.length & 7);
  }
  const [text, starts, numbers, records, ...columns] = sections;
  if (typeof text !== "string" || !(starts instanceof Int32Array) || !(records instanceof Int32Array)) return null;
  if (!(numbers instanceof Uint8Array)) return null;
  const kept = columns.filter((column) => column instanceof Int32Array || column instanceof Float64Array);
  return kept.length < columns.length ? null : { text, starts, numbers, records, columns: kept };
}

function partOf(stated: Json): { readonly kind: Kind; readonly length: number } | null {
  const [kind, length] = isJsonList(stated) ? stated : [];
  if (typeof length !== "number" || !Number.isSafeInteger(length) || length < 0) return null;
  switch (kind) {
    case "latin1":
    case "utf16le":
    case "bytes":
    case "whole":
    case "any":
      return { kind, length };
    default:
      return null;
  }
}

function sectionOf(kind: Kind, bytes: Buffer): string | Uint8Array | Int32Array | Float64Array {
  const { buffer, byteOffset, length } = bytes;
  switch (kind) {
    case "latin1":
    case "utf16le":
      return bytes.toString(kind);
    case "bytes":
      return new Uint8Array(buffer, byteOffset, length);
    case "whole":
      return new Int32Array(buffer, byteOffset, length >> 2);
    case "any":
      return new Float64Array(buffer, byteOffset, length >> 3);
  }
}
