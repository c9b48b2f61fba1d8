import type { Viewed } from "../wire/viewed.ts";
import { unixMs } from "./parse-time.ts";

/** The length of `2026-11-01T08:00:00Z`. */
export const timeLength = 20;

/** Unix ms of a text in bytes; null: it is no time, or written otherwise. */
export function plainTime(input: Viewed, start: number, end: number): number | null {
  const ms = end - start === timeLength ? timeAt(input, start) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** Unix ms of a time; NaN: there is none, or it is written otherwise. Most are the one before: what was made then started then. */
export function timeAt({ bytes, view }: Viewed, start: number): number {
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
function readTime(bytes: Uint8Array, start: number): number {
  const isWritten =
    bytes[start + 4] === 0x2d &&
    bytes[start + 7] === 0x2d &&
    bytes[start + 10] === 0x54 &&
    bytes[start + 13] === 0x3a &&
    bytes[start + 16] === 0x3a &&
    bytes[start + 19] === 0x5a;
  if (!isWritten) return Number.NaN;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  const hour = twoDigits(bytes, start + 11);
  const minute = twoDigits(bytes, start + 14);
  const second = twoDigits(bytes, start + 17);
  return unixMs(year, month, day, hour, minute, second);
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] ?? 0) - 0x30;
  const ones = (bytes[at + 1] ?? 0) - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : Number.NaN;
}
