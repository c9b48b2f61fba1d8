import type { Json } from "../wire/snapshot.ts";

/** Thrown where a text leaves the part of YAML that is read here. */
export class Bail extends Error {}

/** A quoted text that closes before `limit`; null when it does not. `end` is the index after the closing quote. */
export function parseQuoted(
  text: string,
  at: number,
  limit: number,
): { readonly text: string; readonly end: number } | null {
  return text.charCodeAt(at) === 0x22 ? doubleQuoted(text, at, limit) : singleQuoted(text, at, limit);
}

function singleQuoted(text: string, at: number, limit: number): { readonly text: string; readonly end: number } | null {
  let from = at + 1;
  let value = "";
  for (let index = from; index < limit; index += 1) {
    if (text.charCodeAt(index) !== 0x27) continue;
    value += text.slice(from, index);
    if (index + 1 >= limit || text.charCodeAt(index + 1) !== 0x27) return { text: value, end: index + 1 };
    value += "'";
    index += 1;
    from = index + 1;
  }
  return null;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["0", "\0"],
  ["a", "\u0007"],
  ["e", "\u001b"],
  ["v", "\u000b"],
  [" ", " "],
  ["N", "\u0085"],
  ["_", "\u00a0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);

const hexLengths: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

function doubleQuoted(text: string, at: number, limit: number): { readonly text: string; readonly end: number } | null {
  let value = "";
  let from = at + 1;
  for (let index = from; index < limit; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) return { text: value + text.slice(from, index), end: index + 1 };
    if (code !== 0x5c) continue;
    if (index + 1 >= limit) return null;
    const read = escaped(text, index + 1, limit);
    value += text.slice(from, index) + read.text;
    index = read.last;
    from = index + 1;
  }
  return null;
}

function escaped(text: string, at: number, limit: number): { readonly text: string; readonly last: number } {
  const letter = text.charAt(at);
  const simple = escapes.get(letter);
  if (simple !== undefined) return { text: simple, last: at };
  const length = hexLengths.get(letter);
  if (length === undefined || at + length >= limit) throw new Bail();
  const digits = text.slice(at + 1, at + 1 + length);
  if (!/^[0-9a-fA-F]+$/.test(digits)) throw new Bail();
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff) throw new Bail();
  return { text: String.fromCodePoint(code), last: at + length };
}

/** Index where a plain text in this line ends: before ` #`, else at the line's end. */
export function plainEnd(text: string, at: number, limit: number): number {
  // Searched in the line alone: in the whole text every search would run to its end.
  const comment = text.slice(at, limit).indexOf(" #");
  return comment < 0 ? limit : at + comment;
}

/** The value of a plain text under YAML's core schema. */
export function resolvePlain(text: string): Json {
  const first = text.charCodeAt(0);
  // Letters that begin no null, flag or special number: nearly every text.
  if (first >= 0x61 && first <= 0x7a && first !== 0x66 && first !== 0x6e && first !== 0x74) return text;
  if (/^(?:~|null|Null|NULL)$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  if (!/^[-+.\d]/.test(text)) return text;
  if (/^[-+]?\d+$/.test(text)) return Number.parseInt(text, 10);
  if (/^[-+]?(?:\.\d+|\d+\.\d*|\d+(?:\.\d*)?[eE][-+]?\d+|\.\d+[eE][-+]?\d+)$/.test(text))
    return Number.parseFloat(text);
  if (/^(?:0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/.test(text)) throw new Bail();
  return text;
}
