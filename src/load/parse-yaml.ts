import { isNode, isSeq, LineCounter, type Node, type Pair, parseDocument, type YAMLMap } from "yaml";
import type { Json } from "../wire/snapshot.ts";
import { elementKind, elementsOf, type ReadValue } from "./door.ts";
import type { InputLimits } from "./limits.ts";

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
  if (document.text.length > limits.yamlDocumentBytes) {
    yield {
      problem:
        `this YAML document is larger than ${limits.yamlDocumentBytes} bytes and is not read; ` +
        "write it as JSON (kubectl get -o json), which may be larger",
      line: document.lineOffset + 1,
    };
    return;
  }
  try {
    yield* parsed(document);
  } catch (error) {
    yield { problem: hostileProblem(error), line: document.lineOffset + 1 };
  }
}

function* parsed(document: Document): Generator<YamlResult> {
  const lines = new LineCounter();
  const tree = parseDocument(document.text, { lineCounter: lines, merge: true, prettyErrors: false });
  const lineAt = (offset: number): number => document.lineOffset + lines.linePos(offset).line;
  const [error] = tree.errors;
  if (error !== undefined) {
    yield { problem: `broken YAML: ${firstLine(error.message)}`, line: lineAt(error.pos[0]) };
    return;
  }
  const value: Json = tree.toJS({ maxAliasCount: 100 });
  if (value === null || value === undefined || !isNode(tree.contents)) return;
  const root = tree.contents;
  const lineOfNode = (node: unknown): number | null => {
    const start = isNode(node) ? node.range?.[0] : undefined;
    return start === undefined ? null : lineAt(start);
  };
  const found = elementsOf(value);
  if (found === null) {
    yield readValue(document.file, value, root, lineOfNode, { kind: "", apiVersion: "" });
    return;
  }
  const nodes = isSeq(root) ? root.items : itemsNodes(root);
  const listKind = found.list?.["kind"];
  const apiVersion = found.list?.["apiVersion"];
  const list = {
    kind: typeof listKind === "string" ? elementKind(listKind) : "",
    apiVersion: typeof apiVersion === "string" ? apiVersion : "",
  };
  for (const [index, element] of found.elements.entries()) {
    yield readValue(document.file, element, nodes[index], lineOfNode, list);
  }
}

function itemsNodes(root: Node): readonly unknown[] {
  const items = "get" in root ? (root as YAMLMap).get("items", true) : undefined;
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
  if (!isNode(node) || !("items" in node)) return undefined;
  const items = node.items as readonly unknown[];
  if (typeof segment === "number" && isSeq(node)) return items[segment];
  const pair = items.find((each) => keyText(each) === String(segment));
  return pair === undefined ? undefined : (pair as Pair).value;
}

function keyText(pair: unknown): string | undefined {
  const key = typeof pair === "object" && pair !== null && "key" in pair ? pair.key : undefined;
  return isNode(key) && "value" in key ? String(key.value) : undefined;
}

/** What the parser throws instead of reporting: aliases that multiply, nesting beyond the stack. */
function hostileProblem(error: unknown): string {
  if (error instanceof RangeError) return "this YAML document is nested too deeply and is not read";
  if (error instanceof ReferenceError) return "this YAML document repeats its anchors too often and is not read";
  return `broken YAML: ${firstLine(error instanceof Error ? error.message : String(error))}`;
}

function firstLine(message: string): string {
  const line = message.split("\n", 1)[0] ?? "";
  return line.length > 200 ? `${line.slice(0, 197)}...` : line;
}
