import { isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLError } from "yaml";
import { isJsonList, isJsonObject, quoted } from "../wire/fields.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import { elementKind, elementsOf, type ReadValue } from "./door.ts";
import type { InputLimits } from "./limits.ts";
import { lineInPlainYaml, type PlainDocument, type PlainValue, parsePlainYaml } from "./plain-yaml.ts";

/** What one YAML document gives: values, or what is wrong with it. */
export type YamlResult = ReadValue | { readonly problem: string; readonly line: number | null };

interface Document {
  readonly text: string;
  readonly file: string;
  /** Lines of the file before the document's text. */
  readonly lineOffset: number;
}

/** Reads one document; a broken one is one problem and hurts no other. */
export function* parseYamlDocument(document: Document, limits: InputLimits): Generator<YamlResult> {
  const plain = parsePlainYaml(document.text) ?? withoutBrokenLine(document.text);
  if (plain !== null) {
    yield* plainResults(document, plain);
    return;
  }
  const refusal = refusalOf(document.text, limits);
  if (refusal !== null) {
    yield { problem: refusal, line: document.lineOffset + 1 };
    return;
  }
  try {
    yield* fullResults(document);
  } catch (error) {
    yield { problem: hostileProblem(error), line: document.lineOffset + 1 };
  }
}

function* plainResults(document: Document, plain: PlainDocument): Generator<YamlResult> {
  const { root } = plain;
  if (root === null || root.value === null) return;
  const found = elementsOf(root.value) ?? elementsBeforeCut(root.value);
  if (found === null) {
    yield plainValue(document, root, [], { kind: "", apiVersion: "" });
    return;
  }
  const way = found.list === null ? [] : ["items"];
  // A list in one line has its elements there.
  const listLine = plain.elements.length > 0 ? root.line : (lineInPlainYaml(document.text, way, []) ?? root.line);
  for (const [index, element] of found.elements.entries()) {
    const line = plain.elements[index]?.line ?? listLine;
    yield plainValue(document, { value: element, line }, [...way, index], listOf(found.list));
  }
  if (isCutShort(root.value)) yield cutShort(document);
}

/**
 * A list that ends in the middle of its elements, as of a file that was cut short: kubectl says behind them that it is one. The
 * last element may have lost its end and is not taken.
 */
function isCutShort(value: Json): value is JsonObject {
  if (!isJsonObject(value) || value["kind"] !== undefined) return false;
  if (value["items"] !== null && !isJsonList(value["items"])) return false;
  return Object.keys(value).at(-1) === "items";
}

function elementsBeforeCut(value: Json): ReturnType<typeof elementsOf> {
  return isCutShort(value) ? elementsOf({ ...value, kind: "List", items: itemsOf(value).slice(0, -1) }) : null;
}

function itemsOf(list: JsonObject): readonly Json[] {
  return isJsonList(list["items"]) ? list["items"] : [];
}

function cutShort({ text, lineOffset }: Document): YamlResult {
  return {
    problem:
      "the document ends in the middle of a list, with no kind behind its items: it was cut short; its last item is not read",
    line: lineOffset + text.trimEnd().split("\n").length,
  };
}

/** A list whose last line breaks off within its items, without that line; null: it is not that. */
function withoutBrokenLine(text: string): PlainDocument | null {
  const end = text.lastIndexOf("\n");
  if (end < 0 || !/^(?: |-)/.test(text.slice(end + 1))) return null;
  const plain = parsePlainYaml(text.slice(0, end + 1));
  return plain?.root != null && isCutShort(plain.root.value) ? plain : null;
}

function plainValue(
  { text, file, lineOffset }: Document,
  { value, line }: PlainValue,
  way: readonly (string | number)[],
  list: { readonly kind: string; readonly apiVersion: string },
): ReadValue {
  return {
    value,
    source: { file, line: lineOffset + line },
    lineOf: (path) => {
      const found = lineInPlainYaml(text, way, segmentsOf(path));
      return found === null ? null : lineOffset + found;
    },
    listKind: list.kind,
    listApiVersion: list.apiVersion,
  };
}

function listOf(list: JsonObject | null): { readonly kind: string; readonly apiVersion: string } {
  const kind = list?.["kind"];
  const apiVersion = list?.["apiVersion"];
  return {
    kind: typeof kind === "string" ? elementKind(kind) : "",
    apiVersion: typeof apiVersion === "string" ? apiVersion : "",
  };
}

/** Why the full parser, whose time grows faster than the text, should not try; null: it may. */
function refusalOf(text: string, limits: InputLimits): string | null {
  if (text.length > limits.unusualYamlBytes) {
    return (
      `this YAML document of more than ${limits.unusualYamlBytes} bytes has more than plain YAML in it, or is broken, ` +
      "and is not read; write it as JSON (kubectl get -o json), which may be larger"
    );
  }
  if (isNestedDeeply(text)) return tooDeep;
  return null;
}

const tooDeep = "this YAML document is nested too deeply and is not read";

/** Brackets that are not closed, or dashes in a row. Counts inside texts too, where nobody opens a thousand. */
function isNestedDeeply(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) open += 1;
    else if (code === 0x5d || code === 0x7d) open -= 1;
    if (open > 1000) return true;
  }
  return /(?:[-?:] ){300}/.test(text);
}

/** Everything YAML can say. */
function* fullResults(document: Document): Generator<YamlResult> {
  const lines = new LineCounter();
  const tree = parseDocument(document.text, {
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
    logLevel: "error",
  });
  const lineAt = (offset: number): number => document.lineOffset + lines.linePos(offset).line;
  const [error] = tree.errors;
  if (error !== undefined) {
    // The parser runs out of stack now and then, and says so as if it were the text's mistake.
    const problem = error.message.includes("call stack") ? tooDeep : `broken YAML: ${mistakeOf(error, document.text)}`;
    yield { problem, line: lineAt(error.pos[0]) };
    return;
  }
  const value: Json = tree.toJS({ maxAliasCount: 100 });
  if (value === null || value === undefined || !isNode(tree.contents)) return;
  const root = tree.contents;
  const lineOfNode = (node: unknown): number | null => {
    const start = isNode(node) ? node.range?.[0] : undefined;
    return start === undefined ? null : lineAt(start);
  };
  const found = elementsOf(value) ?? elementsBeforeCut(value);
  if (found === null) {
    yield readValue(document.file, value, root, lineOfNode, { kind: "", apiVersion: "" });
    return;
  }
  const nodes = isSeq(root) ? root.items : itemsNodes(root);
  const list = listOf(found.list);
  for (const [index, element] of found.elements.entries()) {
    yield readValue(document.file, element, nodes[index], lineOfNode, list);
  }
  if (isCutShort(value)) yield cutShort(document);
}

function mistakeOf({ code, pos, message }: YAMLError, text: string): string {
  if (code !== "DUPLICATE_KEY") return firstLine(message);
  const key = /^[^\s:]*/.exec(text.slice(pos[0], pos[0] + 100))?.[0] ?? "";
  const startsLine = pos[0] === 0 || text[pos[0] - 1] === "\n";
  const isNextDocument = startsLine && (key === "apiVersion" || key === "kind");
  return `${quoted(key)} comes twice${isNextDocument ? "; a line --- is missing where the next document begins" : ""}`;
}

function itemsNodes(root: Node): readonly unknown[] {
  const items = isMap(root) ? root.get("items", true) : undefined;
  return isSeq(items) ? items.items : [];
}

function readValue(
  file: string,
  value: Json,
  node: unknown,
  lineOfNode: (node: unknown) => number | null,
  list: { readonly kind: string; readonly apiVersion: string },
): ReadValue {
  return {
    value,
    source: { file, line: lineOfNode(node) },
    lineOf: (path) => lineOfPath(node, path, lineOfNode),
    listKind: list.kind,
    listApiVersion: list.apiVersion,
  };
}

/** The line of the deepest part of the path that is there: a missing field is the matter of its parent. */
function lineOfPath(node: unknown, path: string, lineOfNode: (node: unknown) => number | null): number | null {
  let at: unknown = node;
  let line = lineOfNode(node);
  for (const segment of segmentsOf(path)) {
    at = childOf(at, segment);
    const found = lineOfNode(at);
    if (found === null) break;
    line = found;
  }
  return line;
}

/** `spec.containers[0].image` → spec, containers, 0, image. Names with dots are not found, which costs only precision. */
function segmentsOf(path: string): readonly (string | number)[] {
  return path
    .split(/[.[\]]/)
    .filter((segment) => segment !== "")
    .map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment));
}

function childOf(node: unknown, segment: string | number): unknown {
  if (isSeq(node)) return typeof segment === "number" ? node.items[segment] : undefined;
  if (!isMap(node)) return undefined;
  return node.items.find(({ key }) => isScalar(key) && String(key.value) === String(segment))?.value;
}

/** What the parser throws instead of reporting: aliases that multiply, nesting beyond the stack. */
function hostileProblem(error: unknown): string {
  if (error instanceof RangeError) return tooDeep;
  if (error instanceof ReferenceError) return "this YAML document repeats its anchors too often and is not read";
  return `broken YAML: ${firstLine(error instanceof Error ? error.message : String(error))}`;
}

function firstLine(message: string): string {
  const line = message.split("\n", 1)[0] ?? "";
  return line.length > 200 ? `${line.slice(0, 197)}...` : line;
}
