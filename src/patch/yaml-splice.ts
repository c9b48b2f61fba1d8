import { isMap, isPair, isScalar, isSeq, parseAllDocuments, stringify, type YAMLMap, type YAMLSeq } from "yaml";
import type { ObjectRef } from "../model/key.ts";
import { type PathStep, pathSteps } from "../wire/object-path.ts";
import type { Json } from "../wire/snapshot.ts";
import type { FieldEdit } from "./edit.ts";

/**
 * A manifest text with fields of one of its objects changed: what is not changed stays byte for byte, comments, order and
 * indentation included. Null: the object is not in the text, or cannot be changed in place (an alias, a syntax error).
 */
export function splicedYaml(text: string, ref: ObjectRef, fields: readonly FieldEdit[]): string | null {
  let now = text;
  // One at a time: each moves what comes after it.
  for (const { path, value } of fields) {
    const map = objectIn(now, ref);
    const next = map === null ? null : withField(now, map, pathSteps(path), value);
    if (next === null) return null;
    now = next;
  }
  return objectIn(now, ref) === null ? null : now;
}

/** A manifest text without one of its documents or list items. Null: it is not there. */
export function withoutObject(text: string, ref: ObjectRef): string | null {
  const map = objectIn(text, ref);
  const range = map?.range;
  if (map === null || range === null || range === undefined) return null;
  const start = lineStart(text, range[0]);
  const head = text.slice(start, range[0]);
  if (/^\s*-\s+$/.test(head)) return text.slice(0, start) + text.slice(lineStart(text, range[2]));
  const documents = text.split(/^---.*\n/m);
  return documents.length === 1 ? "" : text.slice(0, range[0]) + text.slice(range[2]);
}

function objectIn(text: string, ref: ObjectRef): YAMLMap | null {
  const documents = parseAllDocuments(text, { version: "1.2", logLevel: "silent", prettyErrors: false });
  if (!Array.isArray(documents)) return null;
  for (const document of documents) {
    if (document.errors.length > 0) continue;
    const found = within(document.contents, ref);
    if (found !== null) return found;
  }
  return null;
}

function within(node: unknown, ref: ObjectRef): YAMLMap | null {
  if (!isMap(node)) return null;
  const items = node.get("items", true);
  if (isSeq(items)) {
    for (const item of items.items) {
      const found = within(item, ref);
      if (found !== null) return found;
    }
  }
  const metadata = node.get("metadata");
  if (!isMap(metadata) || node.get("kind") !== ref.kind || metadata.get("name") !== ref.name) return null;
  const namespace = metadata.get("namespace");
  // A manifest may leave the namespace to whoever applies it.
  return namespace === undefined || namespace === ref.namespace ? node : null;
}

function withField(text: string, map: YAMLMap, steps: readonly PathStep[], value: Json): string | null {
  const [step, ...rest] = steps;
  if (step?.by !== "field") return null;
  const pair = map.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === step.name);
  if (pair === undefined) {
    return value === null ? text : withNewField(text, map, step.name, nested(rest, value));
  }
  if (rest.length === 0) return value === null ? withoutPair(text, map, pair) : withNewValue(text, map, pair, value);
  let inner: unknown = pair.value;
  let left = rest;
  for (let next = left[0]; isSeq(inner) && next !== undefined && next.by !== "field"; next = left[0]) {
    inner = elementOf(inner, next);
    left = left.slice(1);
  }
  if (isMap(inner) && inner.items.length > 0) return withField(text, inner, left, value);
  const isEmpty =
    inner === null || (isScalar(inner) && inner.value === null) || (isMap(inner) && inner.items.length === 0);
  return isEmpty && value !== null ? withNewValue(text, map, pair, nested(left, value)) : null;
}

function elementOf(list: YAMLSeq, step: Exclude<PathStep, { readonly by: "field" }>): unknown {
  if (step.by === "index") return list.items[step.index];
  return list.items.find((item) => isMap(item) && item.get(step.field) === step.value);
}

function nested(steps: readonly PathStep[], value: Json): Json {
  return steps.reduceRight<Json>((inner, step) => (step.by === "field" ? { [step.name]: inner } : [inner]), value);
}

type Pair = YAMLMap["items"][number];

/** After the last field of the map, at its indentation. */
function withNewField(text: string, map: YAMLMap, name: string, value: Json): string | null {
  if (map.flow === true) return inFlow(text, map, name, value);
  const first = map.items[0]?.key;
  const last = map.items.at(-1);
  const start = rangeOf(first)?.[0];
  const end = last === undefined ? undefined : endOf(last);
  if (start === undefined || end === undefined) return null;
  const indent = columnOf(text, start);
  const at = lineEnd(text, end);
  const lines = blockOf({ [name]: value }, indent);
  const before = text.slice(0, at);
  return `${before}${before.endsWith("\n") || before === "" ? "" : "\n"}${lines}${text.slice(at)}`;
}

function withNewValue(text: string, map: YAMLMap, pair: Pair, value: Json): string | null {
  const key = rangeOf(pair.key);
  const old = rangeOf(pair.value);
  if (key === null) return null;
  if (isSameValue(pair, value)) return text;
  if (map.flow === true) {
    return old === null ? null : text.slice(0, old[0]) + JSON.stringify(value) + text.slice(old[1]);
  }
  const isPlain = typeof value !== "object" || value === null;
  if (isPlain && isScalar(pair.value) && old !== null && old[1] > old[0]) {
    return text.slice(0, old[0]) + plain(value) + text.slice(old[1]);
  }
  const start = lineStart(text, key[0]);
  const lines = blockOf({ [nameOf(pair)]: value }, columnOf(text, key[0]));
  const end = lineEnd(text, endOf(pair) ?? key[1]);
  // The key may stand behind a dash.
  const head = text.slice(start, key[0]);
  return text.slice(0, start) + head + lines.slice(head.length) + text.slice(end);
}

function withoutPair(text: string, map: YAMLMap, pair: Pair): string | null {
  const key = rangeOf(pair.key);
  if (key === null || map.flow === true || map.items.length === 1) return null;
  const start = lineStart(text, key[0]);
  if (/^\s*$/.test(text.slice(start, key[0]))) {
    return text.slice(0, start) + text.slice(lineEnd(text, endOf(pair) ?? key[1]));
  }
  const next = rangeOf(map.items[map.items.indexOf(pair) + 1]?.key);
  return next === null ? null : text.slice(0, key[0]) + text.slice(next[0]);
}

function inFlow(text: string, map: YAMLMap, name: string, value: Json): string | null {
  const range = map.range;
  if (range === null || range === undefined) return null;
  const close = text.lastIndexOf("}", range[1] - 1);
  if (close < range[0]) return null;
  const entry = `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
  const last = map.items.at(-1);
  const at = last === undefined ? range[0] + 1 : (endOf(last) ?? close);
  return `${text.slice(0, at)}${last === undefined ? "" : ", "}${entry}${text.slice(at)}`;
}

function isSameValue(pair: Pair, value: Json): boolean {
  return isScalar(pair.value) && pair.value.value === value;
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}

function rangeOf(node: unknown): readonly [number, number, number] | null {
  return node !== null && typeof node === "object" && "range" in node && Array.isArray(node.range)
    ? [Number(node.range[0]), Number(node.range[1]), Number(node.range[2])]
    : null;
}

/** Where the value's own text ends: comments and empty lines after it are not part of it. */
function endOf({ key, value }: Pair): number | undefined {
  if (isMap(value) && value.items.length > 0 && value.flow !== true) {
    const last = value.items.at(-1);
    return last === undefined ? undefined : endOf(last);
  }
  if (isSeq(value) && value.items.length > 0 && value.flow !== true) {
    const last: unknown = value.items.at(-1);
    const inner = isMap(last) && last.flow !== true ? last.items.at(-1) : undefined;
    return inner === undefined ? rangeOf(last)?.[1] : endOf(inner);
  }
  const range = rangeOf(value);
  return range !== null && range[1] > range[0] ? range[1] : (rangeOf(key)?.[1] ?? undefined);
}

function columnOf(text: string, at: number): number {
  return at - lineStart(text, at);
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** Behind the line break of the line the position is on. A block scalar ends behind its own. */
function lineEnd(text: string, at: number): number {
  if (at > 0 && text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

function blockOf(value: Json, indent: number): string {
  const text = stringify(value, { indentSeq: false, lineWidth: 0, version: "1.2" });
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${line === "" ? "" : " ".repeat(indent)}${line}\n`)
    .join("");
}

function plain(value: Json): string {
  return stringify(value, { lineWidth: 0, version: "1.2" }).replace(/\n$/, "");
}
