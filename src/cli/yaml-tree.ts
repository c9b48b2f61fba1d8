import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type YAMLMap,
} from "yaml";
import type { Problem } from "../base/problem.ts";
import type { Json } from "../wire/snapshot.ts";

/** A YAML value that knows its line. */
export type Tree =
  | { readonly kind: "map"; readonly line: number; readonly fields: ReadonlyMap<string, Tree> }
  | { readonly kind: "list"; readonly line: number; readonly items: readonly Tree[] }
  | { readonly kind: "scalar"; readonly line: number; readonly value: string | number | boolean | null };

/** Files people write by hand are small; what is larger is not one of them. */
const longestFile = 8 * 1024 * 1024;
const mostNodes = 500_000;
const deepest = 100;

/** The documents of a file, empty ones left out. Problems instead of exceptions, all of them. */
export function parseTrees(text: string, file: string, problems: Problem[]): readonly Tree[] {
  const say: Say = (line, message) => void problems.push({ file, line, path: "", message });
  if (text.length > longestFile) {
    say(null, `is longer than ${longestFile / 1024 / 1024} MiB`);
    return [];
  }
  if (isTooDeep(text)) {
    say(null, `is nested deeper than ${deepest} levels`);
    return [];
  }
  const lines = new LineCounter();
  return documentsOf(text, lines, say).flatMap((document) => {
    for (const error of document.errors) say(lines.linePos(error.pos[0]).line, firstLine(error.message));
    if (document.errors.length > 0 || document.contents === null) return [];
    const tree = grown(document.contents, { lines, left: mostNodes, anchors: new Map(), say }, 0);
    return tree === null ? [] : [tree];
  });
}

function documentsOf(text: string, lineCounter: LineCounter, say: Say): readonly Document[] {
  try {
    const documents = parseAllDocuments(text, { lineCounter, version: "1.2", logLevel: "silent", prettyErrors: false });
    return Array.isArray(documents) ? documents : [];
  } catch (error) {
    say(null, `cannot be read as YAML: ${error instanceof Error ? firstLine(error.message) : "unknown reason"}`);
    return [];
  }
}

type Say = (line: number | null, message: string) => void;

interface Grower {
  readonly lines: LineCounter;
  /** Values that may still be made: aliases multiply. */
  left: number;
  /** The latest node of each name, as YAML wants it. */
  readonly anchors: Map<string, Node>;
  readonly say: Say;
}

function grown(node: unknown, grower: Grower, depth: number): Tree | null {
  if (grower.left < 0) return null;
  grower.left -= 1;
  if (grower.left < 0 || depth > deepest) {
    grower.say(null, "holds too much: too many values, or aliases that multiply");
    grower.left = -1;
    return null;
  }
  const line = lineOf(node, grower);
  if (isAlias(node)) {
    const target = grower.anchors.get(node.source);
    return target === undefined ? { kind: "scalar", line, value: null } : grown(target, grower, depth + 1);
  }
  if (isNode(node) && node.anchor !== undefined) grower.anchors.set(node.anchor, node);
  if (isScalar(node)) return { kind: "scalar", line, value: scalarOf(node.value) };
  if (isSeq(node)) {
    const items = node.items.map((item) => grown(item, grower, depth + 1));
    return { kind: "list", line, items: items.filter((item) => item !== null) };
  }
  return isMap(node) ? grownMap(node, line, grower, depth) : { kind: "scalar", line, value: null };
}

function grownMap(node: YAMLMap, line: number, grower: Grower, depth: number): Tree {
  const fields = new Map<string, Tree>();
  for (const pair of node.items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : null;
    if (key === null) grower.say(line, "has a key that is no plain text");
    const inner = grown(pair.value, grower, depth + 1);
    // A map's value begins on the next line; its key is where a person looks.
    if (key !== null && inner !== null) fields.set(key, { ...inner, line: lineOf(pair.key, grower) });
  }
  return { kind: "map", line, fields };
}

function lineOf(node: unknown, { lines }: Grower): number {
  const range = isNode(node) ? node.range : null;
  return range === null || range === undefined ? 1 : lines.linePos(range[0]).line;
}

function scalarOf(value: unknown): string | number | boolean | null {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") return value;
  return value === null || value === undefined ? null : String(value);
}

/** Before the parser sees it: recursion over brackets or indentation must have an end. */
function isTooDeep(text: string): boolean {
  let brackets = 0;
  for (const character of text) {
    if (character === "[" || character === "{") brackets += 1;
    else if ((character === "]" || character === "}") && brackets > 0) brackets -= 1;
    if (brackets > deepest) return true;
  }
  return /^(?:- ){100}/m.test(text) || new RegExp(`^ {${deepest * 8}}`, "m").test(text) || /(?:\? ){100}/.test(text);
}

/** The plain value; keys are own fields whatever they are called. */
export function jsonOf(tree: Tree): Json {
  switch (tree.kind) {
    case "scalar":
      return tree.value;
    case "list":
      return tree.items.map(jsonOf);
    default:
      return Object.fromEntries([...tree.fields].map(([field, inner]) => [field, jsonOf(inner)]));
  }
}

function firstLine(message: string): string {
  return message.split("\n")[0]?.replace(/ at line \d+, column \d+:?$/, "") ?? message;
}
