import type { Json } from "../wire/snapshot.ts";
import { Bail, parseQuoted, resolvePlain } from "./plain-scalar.ts";

type Mutable = { [field: string]: Json };

interface Parsed<T> {
  readonly value: T;
  /** Index after the value. */
  readonly end: number;
}

const deepest = 50;

/** A flow collection `{a: 1, b: [c, d]}` that closes before `limit`, which is the end of its line. */
export function parseFlow(text: string, at: number, limit: number, depth = 0): Parsed<Json> {
  if (depth > deepest) throw new Bail();
  switch (text.charCodeAt(at)) {
    case 0x7b:
      return flowMap(text, at, limit, depth);
    case 0x5b:
      return flowList(text, at, limit, depth);
    case 0x22:
    case 0x27:
      return flowQuoted(text, at, limit);
    default: {
      const { value, end } = flowPlain(text, at, limit);
      return { value: resolvePlain(value), end };
    }
  }
}

function flowList(text: string, at: number, limit: number, depth: number): Parsed<Json> {
  const list: Json[] = [];
  let next = spaces(text, at + 1, limit);
  while (text.charCodeAt(next) !== 0x5d) {
    const element = parseFlow(text, next, limit, depth + 1);
    list.push(element.value);
    next = afterElement(text, element.end, limit, 0x5d);
  }
  return { value: list, end: next + 1 };
}

function flowMap(text: string, at: number, limit: number, depth: number): Parsed<Json> {
  const map: Mutable = {};
  let next = spaces(text, at + 1, limit);
  while (text.charCodeAt(next) !== 0x7d) {
    const key = flowKey(text, next, limit);
    if (key.value === "__proto__" || Object.hasOwn(map, key.value)) throw new Bail();
    const valueAt = spaces(text, key.end, limit);
    const first = text.charCodeAt(valueAt);
    // `{a: , b}`: an entry without a value.
    if (first === 0x2c || first === 0x7d) throw new Bail();
    const entry = parseFlow(text, valueAt, limit, depth + 1);
    map[key.value] = entry.value;
    next = afterElement(text, entry.end, limit, 0x7d);
  }
  return { value: map, end: next + 1 };
}

/** A key and the index after its colon. */
function flowKey(text: string, at: number, limit: number): Parsed<string> {
  const first = text.charCodeAt(at);
  const isQuoted = first === 0x22 || first === 0x27;
  const key = isQuoted ? flowQuoted(text, at, limit) : flowPlain(text, at, limit);
  if (key.end >= limit || text.charCodeAt(key.end) !== 0x3a) throw new Bail();
  const after = text.charCodeAt(key.end + 1);
  // After a quoted key the value may follow at once, as in JSON.
  if (!isQuoted && after !== 0x20) throw new Bail();
  if (!isQuoted && (key.value === "<<" || String(resolvePlain(key.value)) !== key.value || key.value === "null"))
    throw new Bail();
  return { value: key.value, end: key.end + 1 };
}

function flowQuoted(text: string, at: number, limit: number): Parsed<string> {
  const quoted = parseQuoted(text, at, limit);
  if (quoted === null) throw new Bail();
  return { value: quoted.text, end: quoted.end };
}

/** A plain text inside a flow collection ends at a bracket, a comma, or a colon before a space or bracket. */
function flowPlain(text: string, at: number, limit: number): Parsed<string> {
  if (at >= limit || /[-?:,[\]{}#&*!|>'"%@`]/.test(text.charAt(at))) {
    const isNumber = text.charCodeAt(at) === 0x2d && /[\d.]/.test(text.charAt(at + 1));
    if (!isNumber) throw new Bail();
  }
  let end = at;
  for (; end < limit; end += 1) {
    const code = text.charCodeAt(end);
    if (code === 0x2c || code === 0x5d || code === 0x7d) break;
    if (code === 0x5b || code === 0x7b || code === 0x09) throw new Bail();
    if (code === 0x3a) {
      const next = text.charCodeAt(end + 1);
      if (end + 1 >= limit || next === 0x20) break;
      if (next === 0x2c || next === 0x5d || next === 0x7d || next === 0x5b || next === 0x7b) throw new Bail();
    }
    if (code === 0x23 && text.charCodeAt(end - 1) === 0x20) throw new Bail();
  }
  if (end >= limit) throw new Bail();
  const value = text.slice(at, end).trimEnd();
  if (value === "") throw new Bail();
  // A space before the colon of a key is allowed: where the colon stands is what counts.
  return { value, end };
}

function spaces(text: string, at: number, limit: number): number {
  let next = at;
  while (next < limit && text.charCodeAt(next) === 0x20) next += 1;
  if (next >= limit) throw new Bail();
  return next;
}

/** Index of what follows an element and its comma, or of the closing bracket. */
function afterElement(text: string, at: number, limit: number, closing: number): number {
  const next = spaces(text, at, limit);
  const code = text.charCodeAt(next);
  if (code === closing) return next;
  if (code !== 0x2c) throw new Bail();
  return spaces(text, next + 1, limit);
}
